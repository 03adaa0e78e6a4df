import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import {
  type Journey,
  type LetterList,
  type EditCheck,
  type ReplayResult,
  type StatusReport,
} from '@sluice/console-api';
import { header, trackTopic } from '@sluice/contracts';
import { createKafka, Sender } from '@sluice/kafka';
import {
  ConsolePerson,
  eventually,
  removeReplacedPartsAtOnce,
  runOperator,
  type ServerProcess,
  startApp,
} from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsumerApp, startConsumer } from '../faults/consumer-process.js';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { activate } from '../plans/active-plan.js';
import { sendOfEach, type MessageSource } from './each-message.js';
import { type GuardedServers, startGuardedServers } from './guarded-servers.js';

// Runs the built apps (npm run build) with the rights of docs/rights.md and no others.

const pushTokenKeys = `k:${randomBytes(32).toString('base64url')}`;
/** Erasures are verified as soon as nothing of the person is left. */
const privacy = { PRIVACY_KEY: 'a secret of the rights, long enough', PRIVACY_VERIFY_AFTER_SECONDS: '0' };
const apps: readonly ConsumerApp[] = ['tracking', 'catalog', 'push-interaction'];

let folder: string;
let servers: GuardedServers;
let gateway: GatewayProcess;
let consumers: ServerProcess[] = [];
let source: MessageSource;
/** The address in links for signing in. */
let consoleUrl: { CONSOLE_URL?: string } = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-rights-'));
  servers = await startGuardedServers(folder);
  await operator('migrate');
  const [created] = await Promise.all([
    operator<MessageSource>('sources', 'create', '--name', 'Shop', '--type', 'tracking-api'),
    startApps(),
  ]);
  source = created;
  const plan = {
    version: 1,
    sources: [source.sourceIdentifier],
    additionalEvents: true,
    events: { refused_by_plan: { properties: { id: { type: 'string' } }, required: ['id'] } },
  };
  await activate(servers.admin, { source: source.sourceIdentifier, plan, mode: 'refuse' });
}, 240_000);
afterAll(async () => {
  await (gateway as GatewayProcess | undefined)?.stop('SIGKILL');
  for (const consumer of consumers) await consumer.stop(0);
  await (servers as GuardedServers | undefined)?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function startApps(): Promise<void> {
  [gateway, ...consumers] = await Promise.all([
    startGatewayProcess({
      ...servers.userEnvironment('gateway'),
      PUSH_TOKEN_KEYS: pushTokenKeys,
      PRIVACY_KEY: privacy.PRIVACY_KEY,
      LOG_LEVEL: 'info',
    }),
    ...apps.map((app) => {
      const settings: Record<string, string> = { ...servers.userEnvironment(app), PRIVACY_KEY: privacy.PRIVACY_KEY };
      const { KAFKA_BROKERS = '', CLICKHOUSE_URL = '', CLICKHOUSE_DATABASE = '' } = settings;
      const options = { brokers: [KAFKA_BROKERS], clickhouseUrl: CLICKHOUSE_URL, database: CLICKHOUSE_DATABASE };
      return startConsumer(app, { ...options, folder, settings });
    }),
  ]);
}

/** Runs the operator's command line with the operator's rights; @throws when it fails. */
async function operator<T>(...args: string[]): Promise<T> {
  const settings = { SLUICE_DATA_DIR: folder, ...servers.userEnvironment('operator'), ...privacy, ...consoleUrl };
  const { stdout } = await runOperator([...args, '--json'], settings);
  return JSON.parse(stdout) as T;
}

const tables = [
  'events',
  'identifies',
  'users',
  'ad_requests',
  'refused_messages',
  'push_interactions',
  'push_devices',
  'sellers',
  'products',
  'product_variants',
  'categories',
  'general_entities',
];

/** Names of the tables without a row. */
async function emptyTables(): Promise<string[]> {
  const client = createClient({ url: servers.clickhouseUrl, database: 'sluice' });
  try {
    const query = tables.map((table) => `SELECT '${table}' AS name FROM ${table} LIMIT 1`).join(' UNION ALL ');
    const result = await client.query({ query, format: 'JSONEachRow' });
    const visibleTables = new Set((await result.json<{ name: string }>()).map(({ name }) => name));
    return tables.filter((table) => !visibleTables.has(table));
  } finally {
    await client.close();
  }
}

/** Number of messages in a topic. */
async function countMessages(topic: string): Promise<number> {
  const admin = servers.admin.admin();
  await admin.connect();
  try {
    const ends = await admin.fetchTopicOffsets(topic);
    return ends.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0);
  } finally {
    await admin.disconnect();
  }
}

/** A row that `events` cannot read. */
const unreadable = {
  message_id: randomUUID(),
  request_id: randomUUID(),
  source_id: 'abc',
  received_at: new Date().toISOString(),
  user_id: 'u',
  event: 'edited',
  timestamp: 'yesterday',
};

/** Makes the requests for which the console needs rights in Kafka and ClickHouse. */
async function useConsole(requestId: string): Promise<void> {
  const { url, managementUrl } = gateway;
  const settings = { ...servers.userEnvironment('console'), GATEWAY_URL: url, PRIVACY_KEY: privacy.PRIVACY_KEY };
  const env = { ...settings, GATEWAY_METRICS_URLS: `${managementUrl}/metrics` };
  const site = await startApp('console', env, { folder });
  try {
    consoleUrl = { CONSOLE_URL: site.url };
    const { link } = await operator<{ link: string }>(
      'console',
      'invite',
      'ada',
      '--role',
      'admin',
      '--payloads',
      '--privacy',
    );
    const ada = await ConsolePerson.enter({ console: site }, link);
    const status = await ada.ask<StatusReport>('GET', '/api/status');
    expect([status.kafka.verdict, status.clickhouse.verdict, status.migrations.verdict]).toEqual(['ok', 'ok', 'ok']);
    expect((await ada.ask<Journey>('GET', `/api/requests/${requestId}`)).problems).toEqual([]);
    const reads = ['overview', 'refused', 'sources', `sources/${source.sourceIdentifier}`, 'audit', 'users'];
    for (const path of reads) await ada.ask('GET', `/api/${path}`);
    await ada.ask('GET', '/api/pipeline/ledger?topic=tracking.track.v1');
    expect(await firstOfStream(ada)).toContain('event: servers');
    await ada.ask('POST', '/api/sources', { name: 'By the console', type: 'tracking-api' });
    await ada.ask('POST', '/api/try', { route: 'track', body: '{"userId":"u","event":"e"}' });
    await editAndReplay(ada);
    await useForPeople(ada);
  } finally {
    await site.server.stop(0);
  }
}

/** The first bytes of the live stream. */
async function firstOfStream(person: ConsolePerson): Promise<string> {
  const stop = new AbortController();
  const answer = await person.send('GET', '/api/live', { signal: stop.signal });
  const read = await answer.body?.getReader().read();
  stop.abort();
  return Buffer.from(read?.value ?? []).toString();
}

async function editAndReplay(person: ConsolePerson): Promise<void> {
  const { letters } = await person.ask<LetterList>('GET', `/api/dead-letters?topic=${trackTopic.name}`);
  const letter = letters.find(({ bytes }) => bytes > 2);
  const path = `/api/dead-letters/${encodeURIComponent(letter?.id ?? '')}`;
  const edited = { value: JSON.stringify({ ...unreadable, timestamp: unreadable.received_at }) };
  // The check sends the row along with a SELECT.
  const check = await person.ask<EditCheck>('POST', `${path}/check`, edited);
  expect(check).toMatchObject({ isReadable: true, problems: [], table: 'events' });
  const { replayed } = await person.ask<ReplayResult>('POST', `${path}/edit`, edited);
  expect(replayed).toHaveLength(1);
}

async function useForPeople(officer: ConsolePerson): Promise<void> {
  const person = { source: source.sourceIdentifier, ids: [{ kind: 'user', id: 'rights-of-a-person' }] };
  await officer.ask('POST', '/api/privacy/preview', person);
  const copy = await officer.send('POST', '/api/privacy/export', { body: person });
  expect(copy.headers.get('content-type'), await copy.text()).toBe('application/zip');
  expect(await officer.ask('POST', '/api/privacy/suppress', person)).toEqual({ changed: 1 });
  await officer.ask('POST', '/api/privacy/unsuppress', person);
  await officer.ask('POST', '/api/privacy/erasures', person);
}

async function shortenCleanup(): Promise<void> {
  const client = createClient({ url: servers.clickhouseUrl, database: 'sluice' });
  await removeReplacedPartsAtOnce(client, tables);
  await client.close();
}

it('every app does its work with its rights, from a request to rows, dead letters and their replay', async () => {
  const requestId = await eventually(() => sendOfEach({ gateway, source, pushTokenKeys, planRefuses: true }), 90_000);
  await eventually(async () => {
    expect(await emptyTables()).toEqual([]);
  }, 90_000);

  // A message without a contract for each consumer, bypassing the gateway.
  const topics = ['tracking.track.v1', 'catalog.seller.v1', 'push.device.v1'];
  const sender = new Sender(servers.admin, topics);
  await sender.start();
  await sender.send(topics.map((topic) => ({ topic, key: 'k', value: '{}', headers: {} })));
  const headers = { [header.contract]: trackTopic.contract };
  await sender.send([{ topic: trackTopic.name, key: 'k', value: JSON.stringify(unreadable), headers }]);
  await sender.stop();
  await eventually(async () => {
    expect(await Promise.all(topics.map((topic) => countMessages(`${topic}.dlq`)))).toEqual([2, 1, 1]);
  }, 90_000);
  const letters = await operator<{ id: string }[]>('dead-letters', 'list');
  expect(letters).toHaveLength(topics.length + 1);

  await Promise.all([
    operator('dead-letters', 'replay', letters[0]?.id ?? ''),
    operator('status'),
    operator('events', 'find', requestId),
  ]);
  await useConsole(requestId);
  await shortenCleanup();
  const gateways = ['--gateway', `${gateway.managementUrl}/metrics`];
  const erasures = await operator<{ state: string }[]>('privacy', 'run', ...gateways);
  expect(erasures.map(({ state }) => state)).toEqual(['waiting']);
  await operator('privacy', 'export', '--all-sources', '--user', 'u', '--to', join(folder, 'copy'));
  await operator('topics', 'grow', 'rtb.ad-request.v1', '3', '--yes', '--despite-backlog');
  const { checks } = await operator<{ checks: { verdict: string }[] }>('doctor', ...gateways);
  expect(checks.filter(({ verdict }) => verdict === 'unknown' || verdict === 'fails')).toEqual([]);

  const logs = await Promise.all([...apps, 'console'].map((app) => readFile(join(folder, `${app}.log`), 'utf8')));
  expect(
    [gateway.output(), ...logs].join('').match(/^.*(?:AUTHORIZATION|ACCESS_DENIED|Not authorized).*$/gim),
  ).toBeNull();
}, 240_000);

it('consumers see each materialized view, so that they notice when it is missing', async () => {
  const listViews = async (username: string, password = ''): Promise<string[]> => {
    const client = createClient({ url: servers.clickhouseUrl, username, password });
    const query = `SELECT name FROM system.tables WHERE database = 'sluice' AND engine = 'MaterializedView'`;
    try {
      const result = await client.query({ query, format: 'JSONEachRow' });
      return (await result.json<{ name: string }>()).map(({ name }) => name);
    } finally {
      await client.close();
    }
  };
  const topicsByApp = apps.map((app) => {
    const { CLICKHOUSE_USER = '', CLICKHOUSE_PASSWORD } = servers.userEnvironment(app);
    return listViews(CLICKHOUSE_USER, CLICKHOUSE_PASSWORD);
  });
  expect((await Promise.all(topicsByApp)).flat().toSorted()).toEqual((await listViews('default')).toSorted());
});

it('no app can do what is not listed', async () => {
  const as = (user: string) => {
    const {
      KAFKA_BROKERS = '',
      KAFKA_SASL_USERNAME: username = '',
      KAFKA_SASL_PASSWORD: password = '',
    } = servers.userEnvironment(user);
    return createKafka(
      {
        KAFKA_BROKERS: [KAFKA_BROKERS],
        KAFKA_SASL_MECHANISM: 'plain',
        KAFKA_SASL_USERNAME: username,
        KAFKA_SASL_PASSWORD: password,
      },
      'test',
    );
  };
  const listTopics = async (user: string): Promise<string[]> => {
    const admin = as(user).admin();
    await admin.connect();
    try {
      return await admin.listTopics();
    } finally {
      await admin.disconnect();
    }
  };
  expect(await listTopics('catalog')).not.toContain('sources.v1');
  expect(await listTopics('catalog')).not.toContain('tracking.track.v1');
  expect(await listTopics('tracking')).not.toContain('source-usage.v1');

  const forge = new Sender(as('tracking'), ['catalog.seller.v1']);
  await expect(forge.start()).rejects.toThrow();
  await forge.stop();

  const ask = async (user: string, query: string) => {
    const { CLICKHOUSE_USER: username = '', CLICKHOUSE_PASSWORD: password = '' } = servers.userEnvironment(user);
    const client = createClient({
      url: servers.clickhouseUrl,
      username,
      password,
      log: { level: ClickHouseLogLevel.OFF },
    });
    try {
      return await client.command({ query });
    } finally {
      await client.close();
    }
  };
  const denied = expect.objectContaining({ type: 'ACCESS_DENIED' }) as Error;
  await expect(ask('catalog', 'SELECT count() FROM sluice.events')).rejects.toEqual(denied);
  await expect(ask('tracking', 'DROP TABLE sluice.events')).rejects.toEqual(denied);
  await expect(ask('tracking', 'CREATE TABLE sluice.mine (n UInt8) ENGINE = Memory')).rejects.toEqual(denied);
  await expect(ask('operator', 'DROP DATABASE sluice')).rejects.toEqual(denied);
}, 60_000);
