import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, runOperator, startClickHouse, startKafka } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CatalogGateways } from './catalog-gateways.js';

// The catalog goes back to a release before its deletions, gateway and consumer in either order, and comes again.

const olderCheckout = process.env['OLDER_CHECKOUT'];
let folder: string;
let world: CatalogGateways;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-catalog-rollback-'));
  const kafka = await startKafka({ dataDir: join(folder, 'kafka') });
  const clickhouse = await startClickHouse({ dataDir: join(folder, 'clickhouse') });
  world = await CatalogGateways.start(kafka.brokers, clickhouse.url);
  stops.push(
    () => world.stop(),
    () => kafka.stop(),
    () => clickhouse.stop(),
  );
}, 240_000);
afterAll(async () => {
  for (const stop of stops) await stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}, 120_000);

const variant = (n: number, price: number) => ({
  ...{ variantId: `v${n}`, productId: 'p', sellerId: 's', price, stock: 1, isAvailable: true, isBuyBoxWinner: true },
});
const untilPrices = (prices: Record<string, number>) =>
  eventually(async () => expect(Object.fromEntries(await world.readPrices())).toEqual(prices), 60_000);

async function operator<Answer>(...args: string[]): Promise<Answer> {
  const { brokers, clickhouseUrl, database } = world.options;
  const settings = {
    KAFKA_BROKERS: brokers.join(','),
    CLICKHOUSE_URL: clickhouseUrl,
    CLICKHOUSE_DATABASE: database,
    TOPIC_PARTITIONS: '6',
  };
  return JSON.parse((await runOperator([...args, '--json'], settings)).stdout) as Answer;
}

const listLetters = async (): Promise<unknown[]> =>
  (await operator<{ letters: unknown[] }>('dead-letters', 'replay', '--dry-run')).letters;

it.skipIf(olderCheckout === undefined)(
  'an older consumer keeps deletions as letters, an older gateway refuses them, and nothing is lost or brought back',
  async () => {
    const checkout = olderCheckout ?? '';
    const gateway = await world.startGateway(0);
    const consumer = await world.startConsumer();
    const post = (endpoint: string, list: readonly object[]) => world.post(gateway, endpoint, { list });
    expect(
      await post(
        'productVariantBatch',
        [0, 1, 2, 3].map((n) => variant(n, 1)),
      ),
    ).toBe(200);
    await untilPrices({ v0: 1, v1: 1, v2: 1, v3: 1 });

    // 1. The consumer goes back first: states of batches are stored, deletions wait as letters.
    await consumer.stop(30_000);
    const olderConsumer = await world.startConsumer({ checkout });
    expect(await post('productVariantBatch', [variant(0, 2), variant(4, 2)])).toBe(200);
    expect(await post('productVariantDelete', [{ variantId: 'v1' }, { variantId: 'v2' }])).toBe(200);
    expect(await post('productVariantBatch', [variant(2, 3)])).toBe(200);
    await untilPrices({ v0: 2, v1: 1, v2: 3, v3: 1, v4: 2 });
    await eventually(async () => expect(await listLetters()).toHaveLength(2), 30_000);

    // 2. The gateway goes back, too: what it writes is stored, and it says that it does not know the new routes.
    const olderGateway = await world.startGateway(0, checkout);
    expect(await world.post(olderGateway, 'productVariant', variant(3, 4))).toBe(200);
    expect(await world.post(olderGateway, 'productVariantBatch', { list: [variant(3, 9)] })).toBe(404);
    expect(await world.post(olderGateway, 'productVariantDelete', { list: [{ variantId: 'v3' }] })).toBe(404);
    await untilPrices({ v0: 2, v1: 1, v2: 3, v3: 4, v4: 2 });

    // 3. The consumer comes again before the gateway; what waited takes the place of its version.
    await olderConsumer.stop(30_000);
    await world.startConsumer();
    expect(await world.post(olderGateway, 'productVariant', variant(5, 5))).toBe(200);
    await operator('dead-letters', 'replay');
    await untilPrices({ v0: 2, v2: 3, v3: 4, v4: 2, v5: 5 });
  },
  300_000,
);
