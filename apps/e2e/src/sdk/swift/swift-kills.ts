import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelServer } from '@sluice/sdk-contract';
import { SwiftDevice } from './swift-device.js';

const source = { apiKey: 'key-of-the-test', sourceIdentifier: 'Source000001' };
/** One in so many answers is cut after the service has stored the batch. */
const cutOneIn = 40;

export interface Kills {
  readonly lives: number;
  /** Messages whose `track` had returned. */
  readonly told: number;
  readonly lost: number;
  readonly doubled: number;
  /** Requests whose body was not whole. */
  readonly torn: number;
  /** Messages that the last life could not deliver. */
  readonly left: number;
  /** Ids of devices that messages carry; one unless the values were lost. */
  readonly devices: number;
}

interface Stored {
  readonly properties: { readonly life: string; readonly n: number };
  readonly context: { readonly sdk: { readonly device: string; readonly lost: number } };
}

/** A service that stores like Sluice, and loses some answers. */
async function service() {
  const model = new ModelServer();
  const sum = { torn: 0 };
  let count = 0;
  const server = createServer((request, response) => {
    void text(request)
      .then((body) => {
        const headers = { 'Idempotency-Key': String(request.headers['idempotency-key']) };
        model.take({ method: 'POST', url: request.url ?? '', headers, body, keepalive: false });
        if (++count % cutOneIn === 0) request.socket.destroy();
        else response.setHeader('content-type', 'application/json').end('{"status":"QUEUED"}');
      })
      .catch((error: unknown) => {
        // A killed client's own request ends early; a whole one with a body that is not JSON is torn.
        if (error instanceof SyntaxError) sum.torn++;
        request.socket.destroy();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sum,
    stored: () => model.stored as unknown as Stored[],
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}

/** Kills a device again and again at random moments, lets the last life deliver, and counts. */
export async function swiftKills(folder: string, lives: number, progress?: (life: number) => void): Promise<Kills> {
  const { url, sum, stored, stop } = await service();
  const told = new Set<string>();
  try {
    for (let life = 0; life < lives; life++) {
      const device = new SwiftDevice('live', folder, url, source, String(life));
      await device.begun();
      await sleep(Math.random() * 40);
      await device.kill();
      for (const line of device.lines) {
        const [what, ...words] = line.split(' ');
        if (what === 'took') told.add(words.join(' '));
        else if (what === 'report' || what === 'stderr') throw new Error(`life ${life}: ${line}`);
      }
      progress?.(life);
    }
    const last = await new SwiftDevice('drain', folder, url, source).all();
    const counts = new Map<string, number>();
    for (const { properties } of stored()) {
      const id = `${properties.life} ${properties.n}`;
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return {
      lives,
      told: told.size,
      lost: [...told].filter((id) => !counts.has(id)).length,
      doubled: [...counts.values()].filter((count) => count > 1).length,
      torn: sum.torn,
      left: Number(last.find((line) => line.startsWith('left'))?.split(' ')[1] ?? Number.NaN),
      devices: new Set(stored().map(({ context }) => context.sdk.device)).size,
    };
  } finally {
    await stop();
  }
}
