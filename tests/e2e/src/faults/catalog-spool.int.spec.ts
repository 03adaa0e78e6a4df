import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePorts, prepareKafka, ServerProcess, signalGroup } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { CatalogGateways } from './catalog-gateways.js';

// Runs the built gateway and catalog service (npm run build).

let folder: string;
let kafka: ServerProcess;
let world: CatalogGateways;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-catalog-spool-'));
  const { brokers, servers } = await prepareKafka({ dataDir: join(folder, 'kafka'), ports: await freePorts(1) });
  const [spec] = servers;
  if (!spec) throw new Error('there is no broker');
  kafka = await ServerProcess.spawn(spec);
  await kafka.untilReady(60_000);
  world = await eventually(() => CatalogGateways.start(brokers, inject('clickhouseUrl')), 60_000);
}, 240_000);
afterAll(async () => {
  await world.stop();
  await kafka.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}, 120_000);

const variants = (from: number, to: number, price: number, change: object = {}) =>
  Array.from({ length: to - from }, (_, index) => ({
    ...{ variantId: `v${from + index}`, productId: 'p', sellerId: 's', price, stock: 1, isAvailable: true },
    ...{ isBuyBoxWinner: true, ...change },
  }));
const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({ variantId: `v${from + index}` }));

const untilPrices = (prices: Record<string, number>) =>
  eventually(async () => expect(Object.fromEntries(await world.readPrices())).toEqual(prices), 60_000);
const pricesOf = (...lists: readonly { variantId: string; price: number }[][]): Record<string, number> =>
  Object.fromEntries(lists.flat().map(({ variantId, price }) => [variantId, price]));

it('batches and deletions that waited in a spool take the place that their versions give them', async () => {
  const spooling = await world.startGateway(0);
  await world.startConsumer();
  expect(await world.post(spooling, 'productVariantBatch', { list: variants(0, 40, 1) })).toBe(200);
  await untilPrices(pricesOf(variants(0, 40, 1)));

  signalGroup(kafka.pid, 'SIGSTOP');
  expect(await world.post(spooling, 'productVariantBatch', { list: variants(0, 20, 2) })).toBe(200);
  expect(await world.post(spooling, 'productVariantDelete', { list: ids(20, 30) })).toBe(200);
  const old = { updatedAt: '2026-01-01T00:00:00Z' };
  expect(await world.post(spooling, 'productVariantBatch', { list: variants(30, 35, 3, old) })).toBe(200);
  expect(await world.readMetric(spooling, 'sluice_spool_messages')).toBeGreaterThanOrEqual(35);

  // The gateway is killed with its spool; another one takes newer states before the first is back.
  await world.restartGateway(spooling, async () => {
    signalGroup(kafka.pid, 'SIGCONT');
    const other = await world.startGateway(0);
    expect(await world.post(other, 'productVariantBatch', { list: variants(10, 25, 4) })).toBe(200);
    expect(await world.post(other, 'productVariantDelete', { list: ids(0, 5) })).toBe(200);
    // Messages that the gateway sent before it gave up may be in Kafka by now, and in its spool as well.
    await eventually(async () => {
      const prices = await world.readPrices();
      expect(Array.from({ length: 15 }, (_, index) => prices.get(`v${10 + index}`))).toEqual(Array(15).fill(4));
      expect([prices.has('v0'), prices.has('v4')]).toEqual([false, false]);
    }, 60_000);
  });
  // Waiting states are older than what arrived since, and newer than what was there before; one is old by its sender.
  await untilPrices(pricesOf(variants(5, 10, 2), variants(10, 25, 4), variants(30, 40, 1)));
  await eventually(async () => expect(await world.readMetric(spooling, 'sluice_spool_messages')).toBe(0));
  expect(Object.fromEntries(await world.readPrices())).toEqual(
    pricesOf(variants(5, 10, 2), variants(10, 25, 4), variants(30, 40, 1)),
  );
}, 240_000);
