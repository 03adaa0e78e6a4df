import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseKeyRing } from '@sluice/push-tokens';
import { eventually, freePorts, type ServerProcess } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Balancer } from '../balancer.js';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { catalogLoadCalls, lastSaid, saidByViews } from './catalog-load.js';
import { type ConsumerApp, startConsumer } from './consumer-process.js';
import { type EventsLedger } from './events-ledger.js';
import { createSource } from './gateway-server.js';
import { summarizeAnswers, HttpGenerator } from './http-generator.js';
import { countedByStats, pushCalls, countByCampaign } from './push-load.js';
import { TestBed } from './test-bed.js';

// Replaces every built app (npm run build) under load: clients notice nothing, and nothing is lost or doubled.

const rounds = 2;
const restMs = 2_000;
/** Shorter than in the chart, because this balancer learns of the stop at once. */
const preStopMs = 500;
const pushTokenKeys = `k:${randomBytes(32).toString('base64url')}`;
const apps: readonly ConsumerApp[] = ['tracking', 'catalog', 'push-interaction'];

let bed: TestBed;
let byUser: EventsLedger;
let balancer: Balancer;
let ports: number[];
let gateways: GatewayProcess[];
const consumers = new Map<ConsumerApp, ServerProcess>();
const loads = new Map<'events' | 'catalog' | 'push', HttpGenerator>();

beforeAll(async () => {
  bed = await TestBed.start();
  byUser = bed.ledger.identifiedBy('user_id');
  for (const app of apps) consumers.set(app, await startConsumer(app, bed.options));
  const source = await createSource(bed.brokers);
  ports = await freePorts(2);
  gateways = await Promise.all(ports.map(startGateway));
  balancer = new Balancer(ports);
  const target = { url: `http://127.0.0.1:${await balancer.start()}`, ...source };
  loads.set('events', new HttpGenerator(target, 'rolling'));
  loads.set('catalog', new HttpGenerator(target, 'catalog', catalogLoadCalls()));
  const callbacks = await pushCalls(parseKeyRing(pushTokenKeys), source.sourceIdentifier);
  loads.set('push', new HttpGenerator(target, 'push', callbacks));
});
afterAll(async () => {
  await Promise.all([...loads.values()].map((load) => load.stop()));
  balancer.close();
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await Promise.all([...consumers.values()].map((consumer) => consumer.stop()));
  await byUser.close();
  await bed.stop();
}, 120_000);

const startGateway = (port: number): Promise<GatewayProcess> =>
  startGatewayProcess({
    KAFKA_BROKERS: bed.brokers.join(','),
    TOPIC_PARTITIONS: '6',
    PUSH_TOKEN_KEYS: pushTokenKeys,
    GATEWAY_PORT: String(port),
  });

/** Replaces a consumer. With `waits`, the old one gets SIGTERM when the new one is ready, as in the chart. */
async function replaceConsumer(app: ConsumerApp, waits: boolean): Promise<void> {
  const old = consumers.get(app);
  const replacement = startConsumer(app, bed.options);
  if (waits) await replacement;
  await old?.stop(30_000);
  expect(await old?.ended).toBe('exit code 0');
  consumers.set(app, await replacement);
}

/** Restarts gateways like the chart's StatefulSet: takes each out of the balancer, then restarts it in place. */
async function replaceGateways(): Promise<void> {
  for (const [index, gateway] of gateways.entries()) {
    const port = ports[index] ?? 0;
    balancer.leave(port);
    await sleep(preStopMs);
    expect(await gateway.stop()).toBe(0);
    gateways[index] = await startGateway(port);
    balancer.returns(port);
    await sleep(restMs);
  }
}

const acknowledgedBy = (load: 'events' | 'catalog' | 'push'): Set<string> => loads.get(load)?.acknowledged ?? new Set();

it('no request fails and nothing is lost or doubled when every app is restarted under load, one by one', async () => {
  const startedAt = performance.now();
  loads.get('events')?.start(150);
  loads.get('catalog')?.start(50);
  loads.get('push')?.start(60);
  await sleep(restMs);
  for (let round = 0; round < rounds; round++) {
    for (const app of apps) {
      await replaceConsumer(app, round % 2 === 0);
      await sleep(restMs);
    }
    await replaceGateways();
  }
  for (const [name, load] of loads) {
    await load.pause();
    console.log(`${name}: ${JSON.stringify(summarizeAnswers(load.sent))}`);
    expect(Object.keys(summarizeAnswers(load.sent).byStatus)).toEqual(['200']);
  }

  await eventually(async () => {
    expect((await byUser.balance(acknowledgedBy('events'))).lost).toBe(0);
    expect(await saidByViews(bed.ledger)).toEqual(lastSaid(acknowledgedBy('catalog')));
    expect(await countedByStats(bed.ledger)).toEqual(countByCampaign(acknowledgedBy('push')));
  }, 120_000);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  // Duplicates can be stored late.
  await sleep(3_000);
  const events = await byUser.balance(acknowledgedBy('events'));
  const catalog = {
    messages: acknowledgedBy('catalog').size,
    entities: Object.keys(await saidByViews(bed.ledger)).length,
  };
  const push = { callbacks: loads.get('push')?.sent.length, interactions: acknowledgedBy('push').size };
  console.log(`rolling restart: ${JSON.stringify({ events, catalog, push, seconds })}`);
  const sent = acknowledgedBy('events').size;
  expect(events).toEqual({ sent, stored: sent, unique: sent, lost: 0, doubled: 0 });
  expect(await saidByViews(bed.ledger)).toEqual(lastSaid(acknowledgedBy('catalog')));
  expect(await countedByStats(bed.ledger)).toEqual(countByCampaign(acknowledgedBy('push')));
}, 600_000);
