import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BenchServers } from '../servers.js';
import { type BenchSource } from '../source.js';

const operator = fileURLToPath(new URL('../../../../apps/operator/dist/main.js', import.meta.url));

/** A variant of about 300 bytes. */
const variant = (n: number) => ({
  variantId: `variant-${n}`,
  productId: `product-${n >> 1}`,
  sellerId: `seller-${n % 1_000}`,
  price: (n % 9_000) / 100,
  discountedPrice: (n % 9_000) / 200,
  stock: n % 40,
  isAvailable: true,
  isBuyBoxWinner: n % 2 === 0,
  attributes: { colour: `red ${n % 97}`, size: 'xl' },
  image: `https://cdn.example.com/images/${n}/front.jpg`,
});

/** Writes files of variants, none of which has a variant of another, and imports them. */
export class Feed {
  private variants = 0;

  constructor(
    private readonly servers: BenchServers,
    private readonly source: BenchSource,
    private readonly gatewayUrl: string,
  ) {}

  /** Starts an import of so many variants at this rate. */
  start(count: number, perSecond: number) {
    const file = join(this.servers.folder, `feed-${this.variants}.ndjson`);
    const lines = Array.from({ length: count }, () => JSON.stringify(variant(this.variants++)));
    writeFileSync(file, `${lines.join('\n')}\n`);
    const { sourceIdentifier, headers } = this.source;
    const sourceArgs = ['--source', sourceIdentifier, '--type', 'productVariant', '--gateway-url', this.gatewayUrl];
    const args = [operator, 'catalog', 'import', file, ...sourceArgs, '--rate', String(perSecond)];
    const key = headers['authorization']?.replace('Bearer ', '');
    const env = { ...process.env, SLUICE_DATA_DIR: '/no/such/folder', SLUICE_API_KEY: key };
    const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    return {
      pid: child.pid ?? 0,
      isRunning: () => child.exitCode === null,
      stop: async () => {
        child.kill('SIGKILL');
        await ended;
      },
    };
  }
}
