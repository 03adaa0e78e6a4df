import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { header, identifyTopic, trackTopic } from '@sluice/contracts';
import { createKafka, Sender } from '@sluice/kafka';
import { eventually, freePort, prepareKafka, runOperator, ServerProcess } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startTracking } from '../faults/consumer-process.js';
import { EventsLedger } from '../faults/events-ledger.js';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { type SourceCredentials } from '../stack.js';

// Runs the built services (npm run build) with their own Kafka. Messages of a suppressed person are never stored,
// however they return; everyone else's are stored once.

const clickhouseUrl = inject('clickhouseUrl');
const database = `suppressed_${randomUUID().replaceAll('-', '')}`;
const privacyKey = 'a privacy key of the tests, long enough';
const perPerson = 30;

let folder: string;
let kafka: ServerProcess;
let brokers: readonly string[];
let gateway: GatewayProcess;
let tracking: ServerProcess;
let source: SourceCredentials;
let ledger: EventsLedger;
/** Number of messages that gateways have accepted, by person. */
const sent = new Map<string, number>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-replays-'));
  const prepared = await prepareKafka({ dataDir: join(folder, 'kafka'), ports: [await freePort()], heapMb: 256 });
  const [spec] = prepared.servers;
  if (!spec) throw new Error('no broker was prepared');
  brokers = prepared.brokers;
  kafka = await ServerProcess.spawn(spec);
  await kafka.untilReady(90_000);
  await command(`CREATE DATABASE ${database}`, 'default');
  // Raw rows: a merge would hide one that is stored twice.
  ledger = new EventsLedger(clickhouseUrl, database);
  await ledger.prepare();
  await operator('migrate');
  source = await operator<SourceCredentials>('sources', 'create', '--name', 'People', '--type', 'tracking-api');
  gateway = await startGateway();
}, 240_000);
afterAll(async () => {
  await gateway.stop('SIGKILL');
  await tracking.stop(0);
  await kafka.stop(0);
  await ledger.close();
  await command(`DROP DATABASE ${database}`, 'default');
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

async function command(query: string, db = database): Promise<void> {
  const client = createClient({ url: clickhouseUrl, database: db });
  await client.command({ query });
  await client.close();
}

async function operator<T>(...args: string[]): Promise<T> {
  const { stdout } = await runOperator([...args, '--json'], {
    KAFKA_BROKERS: brokers.join(','),
    CLICKHOUSE_URL: clickhouseUrl,
    CLICKHOUSE_DATABASE: database,
    SLUICE_DATA_DIR: folder,
    PRIVACY_KEY: privacyKey,
    TOPIC_PARTITIONS: '1',
  });
  return JSON.parse(stdout) as T;
}
const suppress = (user: string) => operator('privacy', 'suppress', '--source', source.sourceIdentifier, '--user', user);
const unsuppress = (user: string) =>
  operator('privacy', 'unsuppress', '--source', source.sourceIdentifier, '--user', user);

const startGateway = (): Promise<GatewayProcess> =>
  startGatewayProcess({
    KAFKA_BROKERS: brokers.join(','),
    GATEWAY_DATA_DIR: join(folder, 'gateway'),
    PRIVACY_KEY: privacyKey,
    TOPIC_PARTITIONS: '1',
  });

const startConsumer = async (crashPoint = ''): Promise<void> => {
  const settings = { PRIVACY_KEY: privacyKey, TOPIC_PARTITIONS: '1' };
  tracking = await startTracking({ brokers, clickhouseUrl, database, folder, settings }, crashPoint);
};

/** Starts a consumer, and resolves when it has killed itself. */
async function crashAt(point: string): Promise<void> {
  await startConsumer(point);
  expect(await tracking.ended).toBe('SIGKILL');
}

/** Sends messages of each person in one request, so that they lie next to each other in Kafka. */
async function send(...people: string[]): Promise<void> {
  const list = Array.from({ length: perPerson }, () => people.map((userId) => ({ userId, event: 'seen' }))).flat();
  const answer = await fetch(`${gateway.url}/api/tracker/sdk/${source.sourceIdentifier}/trackBatch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${source.apiKey}` },
    body: JSON.stringify({ list }),
  });
  expect(answer.status).toBe(200);
  for (const person of people) sent.set(person, (sent.get(person) ?? 0) + perPerson);
}

/** Raw rows of each person. */
async function rows(): Promise<Record<string, number>> {
  const client = createClient({ url: clickhouseUrl, database });
  try {
    const found = await client.query({
      query: 'SELECT user_id, count() AS n FROM events GROUP BY user_id',
      format: 'JSONEachRow',
    });
    const counts = await found.json<{ user_id: string; n: string }>();
    return Object.fromEntries(counts.map(({ user_id: person, n }) => [person, Number(n)]));
  } finally {
    await client.close();
  }
}

/** Waits until everyone else's messages are stored, then expects these numbers of rows of the people named. */
async function expectRows(expected: Record<string, number>): Promise<void> {
  await send('marker');
  const others = [...sent].filter(([person]) => !(person in expected));
  await eventually(async () => {
    const found = await rows();
    for (const [person, count] of others) expect([person, found[person]]).toEqual([person, count]);
  }, 90_000);
  const found = await rows();
  for (const [person, count] of others) expect([person, found[person]]).toEqual([person, count]);
  for (const [person, count] of Object.entries(expected)) expect([person, found[person] ?? 0]).toEqual([person, count]);
}

it('drops messages that wait in Kafka when the suppression comes, also of a block that was begun', async () => {
  await send('john', 'begun');
  await crashAt('after-intent:1');
  await suppress('begun');
  await startConsumer();
  await expectRows({ begun: 0 });
}, 120_000);

it('loses and doubles no message of anyone else when it dies between two attempts of a block', async () => {
  await tracking.stop(30_000);
  await send('john', 'stored', 'returned');
  await suppress('returned');
  await crashAt('after-insert:1');
  // The next attempt leaves out `stored`, not `returned`.
  await suppress('stored');
  await unsuppress('returned');
  await startConsumer();
  await expectRows({ begun: 0, stored: perPerson });
}, 120_000);

it('stores nothing of suppressed people when groups are set back to the beginning', async () => {
  await tracking.stop(30_000);
  await command('TRUNCATE TABLE events');
  const admin = createKafka({ KAFKA_BROKERS: [...brokers] }, 'test').admin();
  await admin.connect();
  for (const { name: topic } of [trackTopic, identifyTopic])
    await admin.resetOffsets({ groupId: 'tracking', topic, earliest: true });
  await admin.disconnect();
  await startConsumer();
  await expectRows({ begun: 0, stored: 0 });
}, 120_000);

it('stores nothing from the spool of a gateway that was down while its person was suppressed', async () => {
  await kafka.stop(0);
  await send('john', 'spooled');
  await gateway.stop('SIGKILL');
  kafka = await ServerProcess.spawn(kafka.spec);
  await kafka.untilReady(90_000);
  await eventually(() => suppress('spooled'), 60_000);
  gateway = await startGateway();
  await expectRows({ begun: 0, stored: 0, spooled: 0 });
}, 180_000);

it('replays no dead letter of a suppressed person', async () => {
  const client = createKafka({ KAFKA_BROKERS: [...brokers] }, 'test');
  const sender = new Sender(client, [trackTopic.name]);
  await sender.start();
  const origin = {
    source_id: source.sourceIdentifier,
    request_id: randomUUID(),
    received_at: new Date().toISOString(),
  };
  await sender.send(
    ['john', 'buried'].map((person) => ({
      topic: trackTopic.name,
      key: `${source.sourceIdentifier}:${person}`,
      value: JSON.stringify({ ...origin, message_id: randomUUID(), user_id: person, event: 'letter' }),
      headers: { [header.contract]: 'track.v9' },
    })),
  );
  await sender.stop();
  interface Letters {
    letters: { id: string }[];
  }
  await eventually(async () => {
    expect((await operator<Letters>('dead-letters', 'replay', '--dry-run')).letters).toHaveLength(2);
  }, 60_000);
  await suppress('buried');
  const failure = await operator('dead-letters', 'replay').then(
    () => undefined,
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  expect(failure?.stderr).toContain('1 of 2 letters were replayed');
  expect(failure?.stderr).toContain('its person is suppressed');
  expect(failure?.stderr).not.toContain('buried');
  expect((JSON.parse(failure?.stdout ?? '') as Letters).letters).toHaveLength(1);
}, 120_000);

it('is not ready with another PRIVACY_KEY, and names the variable', async () => {
  await tracking.stop(30_000);
  const settings = { PRIVACY_KEY: 'another privacy key of the tests, long', TOPIC_PARTITIONS: '1' };
  const stranger = await startTracking({ brokers, clickhouseUrl, database, folder, settings }, 'after-intent:1000');
  const before = await rows();
  await send('john');
  await eventually(async () => {
    const answer = await fetch(`http://127.0.0.1:${stranger.spec.port}/health/ready`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('PRIVACY_KEY');
  }, 60_000);
  expect(await rows()).toEqual(before);
  await stranger.stop(0);
}, 120_000);
