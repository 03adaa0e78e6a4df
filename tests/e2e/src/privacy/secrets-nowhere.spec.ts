import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKafka, type Kafka } from '@sluice/kafka';
import { eventually, Random } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { local, post, select } from '../stack.js';
import { type Leak, leaksInFiles, leaksInMetrics, leaksInTables, leaksInTopics } from './everywhere.js';
import { aSecretRequest, type SecretRequest } from './secret-requests.js';
import { createRuledSources, type RuledSource } from './secret-sources.js';
import { Secrets } from './secrets.js';

/** Number of secrets, each in one message; SECRETS_SEED and SECRETS_COUNT=20000 make other and more ones. */
const count = Number(process.env['SECRETS_COUNT'] ?? 1_500);
const seed = Number(process.env['SECRETS_SEED'] ?? Date.now() % 1_000_000);
const timeoutMs = 120_000 + count * 30;
const sourceCount = 9;
const sentAtOnce = 16;
/** Folders of Kafka and ClickHouse, and the log of ClickHouse, which has the questions of this test. */
const serversOwn = new Set(['kafka', 'clickhouse', 'clickhouse.log']);

let kafka: Kafka;
let folder: string;
let traced: GatewayProcess;
let sources: RuledSource[];
const random = new Random(seed);

beforeAll(async () => {
  kafka = createKafka({ KAFKA_BROKERS: local().kafka.brokers }, 'secrets');
  folder = mkdtempSync(join(tmpdir(), 'sluice-secrets-'));
  [traced, sources] = await Promise.all([
    startGatewayProcess({ LOG_LEVEL: 'trace', GATEWAY_DATA_DIR: join(folder, 'gateway') }),
    createRuledSources(kafka, random, sourceCount),
  ]);
  for (const gateway of [traced.url, local().gateway.url])
    await eventually(async () => {
      const statuses = sources.map(async (source) => (await post('track', aLast(), { gateway, source })).status);
      expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
    });
});
afterAll(async () => {
  await traced.stop();
  rmSync(folder, { recursive: true, force: true });
});

const aLast = (properties: object = {}) => ({ userId: 'u', event: 'last', properties });

async function send(gateway: string, { path, ...request }: SecretRequest): Promise<number> {
  const answer = await fetch(gateway + path, request);
  await answer.arrayBuffer();
  return answer.status;
}

/** Sends random requests until there are enough secrets. @returns how many requests had each status */
async function sendAll(secrets: Secrets): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  const gateways = [traced.url, local().gateway.url];
  const sender = async (): Promise<void> => {
    while (secrets.count < count) {
      const status = await send(random.pick(gateways), aSecretRequest(random, sources, secrets));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: sentAtOnce }, sender));
  return statuses;
}

/** Waits until the last of what was sent is stored: a message and a refused one of each source, from each gateway. */
async function untilStored(): Promise<void> {
  const lasts = sources.flatMap((source) => [traced.url, local().gateway.url].map((gateway) => ({ source, gateway })));
  await Promise.all(
    lasts.flatMap((last) => [sendUntilStored('events', aLast(), last), sendUntilStored('refused_requests', {}, last)]),
  );
}

/**
 * Sends a body until one of its requests is in the table. A refused request is repeated because one that comes within
 * the second of many others is not sampled: a second has a bounded number of samples.
 */
async function sendUntilStored(
  table: 'events' | 'refused_requests',
  body: object | string,
  options: { source: RuledSource; gateway?: string },
): Promise<void> {
  const ids: (string | null)[] = [];
  await eventually(async () => {
    if (table === 'refused_requests' || ids.length === 0)
      ids.push((await post('track', body, options)).headers.get('x-request-id'));
    const isStored = `SELECT count() > 0 AS is_stored FROM ${table} WHERE request_id IN {ids:Array(UUID)}`;
    expect(await select(isStored, { ids })).toEqual([{ is_stored: 1 }]);
  });
}

async function findLeaks(secrets: Secrets): Promise<Leak[]> {
  const { gateway, tracking, catalog, pushInteraction } = local();
  const urls = [gateway.managementUrl, traced.managementUrl, tracking.url, catalog.url, pushInteraction.url];
  const { leaks, messages } = await leaksInTopics(kafka, secrets);
  expect(messages).toBeGreaterThan(0);
  return [
    ...leaks,
    ...(await leaksInTables(secrets)),
    ...leaksInFiles(inject('dataDir'), secrets, (name) => serversOwn.has(name)),
    ...leaksInFiles(folder, secrets),
    ...(await leaksInMetrics(urls, secrets)),
    ...[secrets.find(traced.output()) ?? []].flat().map((text) => ({ place: 'log', text })),
  ];
}

/** One leak of each origin and place. */
const distinct = (leaks: readonly Leak[]): Leak[] => [
  ...new Map(leaks.map((leak) => [`${leak.place} ${leak.text.split(':', 1).join()}`, leak])).values(),
];

it(
  'what a rule covers, and every key, is in no table, topic, log, metric or file',
  { timeout: timeoutMs },
  async () => {
    const secrets = new Secrets();
    const control = new Secrets();
    const [source] = sources;
    if (!source) throw new Error('there is no source');
    const statuses = await sendAll(secrets);
    await sendUntilStored('events', aLast({ free: control.make('control') }), { source });
    await sendUntilStored('refused_requests', `{"event":"${control.make('control')}`, { source });
    await untilStored();

    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400', '401', '404']));
    const places = new Set((await findLeaks(control)).map(({ place }) => place));
    expect(places).toContain('table events');
    expect(places).toContain('table refused_requests');
    expect(places).toContain('topic tracking.track.v1');
    expect(distinct(await findLeaks(secrets)), `SECRETS_SEED=${seed}`).toEqual([]);
  },
);
