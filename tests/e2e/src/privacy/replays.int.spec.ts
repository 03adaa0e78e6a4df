import { randomBytes, randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import {
  adRequestTopic,
  deadLetterTopic,
  deviceTopic,
  header,
  identifyTopic,
  interactionTopic,
  refusedMessageTopic,
  refusedTopic,
  trackTopic,
} from '@sluice/contracts';
import { createKafka, type Kafka, Sender } from '@sluice/kafka';
import {
  eventually,
  freePort,
  prepareKafka,
  removeReplacedPartsAtOnce,
  runOperator,
  ServerProcess,
} from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startConsumer as startOtherConsumer, startTracking } from '../faults/consumer-process.js';
import { EventsLedger } from '../faults/events-ledger.js';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { type SourceCredentials } from '../stack.js';
import { readBehind, readMessages, rowsWith, sendAgain, sendOnEveryPath } from './person-everywhere.js';

// Runs the built services (npm run build) with their own Kafka. Messages of a suppressed person are never stored,
// however they return; everyone else's are stored once.

const clickhouseUrl = inject('clickhouseUrl');
const database = `suppressed_${randomUUID().replaceAll('-', '')}`;
const privacyKey = 'a privacy key of the tests, long enough';
const pushTokenKeys = `k:${randomBytes(32).toString('base64url')}`;
const perPerson = 30;
/** Erased at the end. No other id contains `trace`. */
const trace = `erased-${randomUUID().slice(0, 8)}`;
const erased = { userId: trace, anonymousId: `${trace}-browser` };

const tracked = [trackTopic, identifyTopic, refusedMessageTopic, refusedTopic, adRequestTopic].map(({ name }) => name);
const pushed = [interactionTopic, deviceTopic].map(({ name }) => name);
/** Topics and tables that hold a person of whom everything was sent. */
const personTopics = [...tracked, ...pushed, deadLetterTopic(trackTopic.name)];
const personTables = [
  ...['events', 'identifies', 'users', 'refused_messages', 'refused_requests', 'ad_requests'],
  ...['push_interactions', 'push_devices'],
];

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
    PUSH_TOKEN_KEYS: pushTokenKeys,
    PRIVACY_VERIFY_AFTER_SECONDS: '0',
    PRIVACY_AD_REQUEST_PATHS: 'user.id',
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

const startGateway = (dataFolder = 'gateway'): Promise<GatewayProcess> =>
  startGatewayProcess({
    KAFKA_BROKERS: brokers.join(','),
    GATEWAY_DATA_DIR: join(folder, dataFolder),
    PRIVACY_KEY: privacyKey,
    PUSH_TOKEN_KEYS: pushTokenKeys,
    TOPIC_PARTITIONS: '1',
  });

/** Sets groups back to the beginning of topics. They must have no members. */
async function setBack(groupId: string, topics: readonly string[]): Promise<void> {
  const admin = createKafka({ KAFKA_BROKERS: [...brokers] }, 'test').admin();
  await admin.connect();
  for (const topic of topics) {
    const logs = await admin.fetchTopicOffsets(topic);
    const partitions = logs.map(({ partition }) => ({ partition, offset: '0' }));
    await admin.setOffsets({ groupId, topic, partitions });
  }
  await admin.disconnect();
}

const startConsumer = async (crashPoint = ''): Promise<void> => {
  const settings = { PRIVACY_KEY: privacyKey, TOPIC_PARTITIONS: '1' };
  tracking = await startTracking({ brokers, clickhouseUrl, database, folder, settings }, crashPoint);
};

/**
 * Starts a consumer, and resolves when it has killed itself at its first block of events. The gateway also sends what it
 * has counted every few seconds, and that may be the first block of all.
 */
async function crashAt(point: string): Promise<void> {
  await startConsumer(`${point}:1:${trackTopic.name}`);
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
    const answer = await client.query({
      query: 'SELECT user_id, count() AS n FROM events GROUP BY user_id',
      format: 'JSONEachRow',
    });
    const counts = await answer.json<{ user_id: string; n: string }>();
    return Object.fromEntries(counts.map(({ user_id: person, n }) => [person, Number(n)]));
  } finally {
    await client.close();
  }
}

/** Waits until everyone else's messages are stored, then expects these numbers of rows of the people named. */
async function expectRows(expected: Record<string, number>): Promise<void> {
  await send('marker');
  const unexpected = [...sent].filter(([person]) => !(person in expected));
  await eventually(async () => {
    const storedRows = await rows();
    for (const [person, count] of unexpected) expect([person, storedRows[person]]).toEqual([person, count]);
  }, 90_000);
  const storedRows = await rows();
  for (const [person, count] of unexpected) expect([person, storedRows[person]]).toEqual([person, count]);
  for (const [person, count] of Object.entries(expected))
    expect([person, storedRows[person] ?? 0]).toEqual([person, count]);
}

it('drops messages that wait in Kafka when the suppression comes, also of a block that was begun', async () => {
  await send('john', 'begun');
  await crashAt('after-intent');
  await suppress('begun');
  await startConsumer();
  await expectRows({ begun: 0 });
}, 120_000);

it('loses and doubles no message of anyone else when it dies between two attempts of a block', async () => {
  await tracking.stop(30_000);
  await send('john', 'stored', 'returned');
  await suppress('returned');
  await crashAt('after-insert');
  // The next attempt leaves out `stored`, not `returned`.
  await suppress('stored');
  await unsuppress('returned');
  await startConsumer();
  await expectRows({ begun: 0, stored: perPerson });
}, 120_000);

it('stores nothing of suppressed people when groups are set back to the beginning', async () => {
  await tracking.stop(30_000);
  await command('TRUNCATE TABLE events');
  await setBack('tracking', [trackTopic.name, identifyTopic.name]);
  await startConsumer();
  await expectRows({ begun: 0, stored: 0 });
}, 120_000);

it('stores nothing from the spool of a gateway that was down while its person was suppressed', async () => {
  await kafka.stop(0);
  await send(erased.userId);
  await cp(join(folder, 'gateway'), join(folder, 'old-gateway'), { recursive: true });
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

describe('after an erasure', () => {
  const groups = ['tracking', 'push-interaction'];
  const client = createClient({ url: clickhouseUrl, database });
  let plain: Kafka;
  let push: ServerProcess;
  const untilConfirmed = () => eventually(async () => expect(await readBehind(plain, groups)).toEqual([]), 60_000);
  const startPush = () =>
    startOtherConsumer('push-interaction', {
      ...{ brokers, clickhouseUrl, database, folder },
      settings: { PRIVACY_KEY: privacyKey, TOPIC_PARTITIONS: '1' },
    });
  const withGateway = <T>(...args: string[]) =>
    operator<T>('privacy', ...args, '--gateway', `${gateway.managementUrl}/metrics`);
  const runErasures = () => withGateway<{ state: string }[]>('run', '--for-at-most', '60');

  beforeAll(async () => {
    plain = createKafka({ KAFKA_BROKERS: [...brokers] }, 'test');
    push = await startPush();
    await operator('sources', 'segment', source.sourceIdentifier, 'on');
    await removeReplacedPartsAtOnce(client, personTables);
  });
  afterAll(async () => {
    await push.stop(0);
    await client.close();
  });

  it('stores nothing of the person whatever brings their messages again', async () => {
    const names = ['--campaign', 'C', '--variation', 'V', '--channel', 'web-push', '--provider', 'fcm'];
    const sourceOptions = ['--source', source.sourceIdentifier];
    const { token } = await operator<{ token: string }>(
      ...['push-token', 'mint', ...sourceOptions, '--profile', erased.userId, ...names],
    );
    await sendOnEveryPath(erased, { gateway: gateway.url, source, kafka: plain, token });
    await untilConfirmed();
    expect(Object.keys(await rowsWith(client, trace)).sort()).toEqual(personTables.toSorted());
    const messages = await eventually(async () => {
      const read = await readMessages(plain, trace);
      expect([...new Set(read.map(({ topic }) => topic))].sort()).toEqual(personTopics.toSorted());
      return read;
    }, 30_000);
    await withGateway('erase', ...sourceOptions, '--user', erased.userId, '--by', 'test', '--yes');
    expect(await runErasures()).toMatchObject([{ state: 'waiting' }]);
    sent.delete(erased.userId);
    expect(await rowsWith(client, trace)).toEqual({});

    await sendAgain(plain, messages);
    await operator('dead-letters', 'replay').catch(() => undefined);
    await operator('refused', 'replay', ...sourceOptions);
    const old = await startGateway('old-gateway');
    await old.stop();
    await untilConfirmed();
    await Promise.all([tracking.stop(30_000), push.stop(30_000)]);
    await setBack('tracking', tracked);
    await setBack('push-interaction', pushed);
    await startConsumer();
    push = await startPush();
    await untilConfirmed();

    // Ad requests are not suppressed: the next run erases them.
    expect(Object.keys(await rowsWith(client, trace))).toEqual(['ad_requests']);
    expect(await runErasures()).toMatchObject([{ state: 'waiting' }]);
    expect(await rowsWith(client, trace)).toEqual({});
    await expectRows({ begun: 0, stored: 0, spooled: 0 });
  }, 300_000);

  it('stores the person as a new one', async () => {
    await send(erased.userId);
    await eventually(async () => expect((await rows())[erased.userId]).toBe(perPerson), 60_000);
  });
});

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
