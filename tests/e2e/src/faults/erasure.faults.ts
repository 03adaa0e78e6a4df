import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { createKafka } from '@sluice/kafka';
import { eventually, removeReplacedPartsAtOnce, runOperator, type ServerProcess } from '@sluice/testing';
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsumerOptions, startTracking } from './consumer-process.js';
import { GatewayServer } from './gateway-server.js';
import { FaultServers } from './servers.js';

// The resurrection suite: a person who was erased stays erased, whatever is replayed, restored or killed, and everybody
// else has each message once.

const database = 'sluice';
const topics = ['tracking.track.v1', 'tracking.identify.v1', 'tracking.refused.v1'];
const operatorProgram = fileURLToPath(new URL('../../../../apps/operator/dist/main.js', import.meta.url));
const otherUsers = Array.from({ length: 40 }, (_, index) => `other-${index}`);

let servers: FaultServers;
let client: ClickHouseClient;
let options: ConsumerOptions;
let tracking: ServerProcess;
let gateway: GatewayServer;
let settings: Record<string, string>;
/** Number of everybody else's acknowledged messages. */
let sent = 0;

beforeAll(async () => {
  servers = await FaultServers.start();
  const clickhouseUrl = `http://127.0.0.1:${servers.clickhousePort}`;
  const key = { PRIVACY_KEY: 'a secret of the faults, long enough' };
  settings = {
    ...key,
    ...{ KAFKA_BROKERS: servers.brokers.join(','), TOPIC_PARTITIONS: '6', TOPIC_REPLICATION_FACTOR: '3' },
    ...{ CLICKHOUSE_URL: clickhouseUrl, CLICKHOUSE_DATABASE: database, PRIVACY_VERIFY_AFTER_SECONDS: '2' },
  };
  client = createClient({ url: clickhouseUrl, request_timeout: 600_000 });
  await operator('migrate');
  const tables = ['events', 'identifies', 'users', 'refused_messages'];
  await removeReplacedPartsAtOnce(
    client,
    tables.map((table) => `${database}.${table}`),
  );
  options = {
    brokers: servers.brokers,
    clickhouseUrl,
    database,
    folder: servers.folder,
    replicationFactor: 3,
    settings: key,
  };
  tracking = await startTracking(options);
  gateway = await GatewayServer.start(servers.brokers, servers.folder, key);
  settings['GATEWAY_METRICS_URLS'] = `${gateway.managementUrl}/metrics`;
}, 300_000);
afterAll(async () => {
  await gateway.stop();
  await tracking.stop(0);
  await client.close();
  await servers.stop();
}, 120_000);

const operator = (...args: string[]) => runOperator(args, settings);
const erase = (user: string, ...more: string[]) =>
  operator('privacy', 'erase', '--source', gateway.target.sourceIdentifier, '--user', user, '--yes', ...more);

async function post(route: string, body: object): Promise<void> {
  const { url, sourceIdentifier, apiKey } = gateway.target;
  const answer = await fetch(`${url}/api/tracker/sdk/${sourceIdentifier}/${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

/** 25 events and an identify of a person; five of the events have only the anonymous id. */
async function sendPerson(user: string): Promise<void> {
  const ids = { userId: user, anonymousId: `a-${user}` };
  await post('identify', { ...ids, traits: { email: `${user}@example.com` } });
  for (let number = 0; number < 20; number += 1) await post('track', { ...ids, event: 'seen', properties: { number } });
  for (let number = 0; number < 5; number += 1) await post('track', { anonymousId: `a-${user}`, event: 'seen' });
}

async function sendOthers(): Promise<void> {
  await Promise.all(otherUsers.map((userId) => post('track', { userId, anonymousId: `a-${userId}`, event: 'seen' })));
  sent += otherUsers.length;
}

async function count(query: string): Promise<number> {
  const result = await client.query({ query, format: 'JSONEachRow' });
  const [row] = await result.json<{ n: string }>();
  return Number(row?.n);
}
const countRows = (user: string): Promise<number> => {
  const where = `WHERE user_id = '${user}' OR anonymous_id = 'a-${user}'`;
  const tables = ['events', 'events FINAL', 'identifies', 'users', 'refused_messages'];
  const counts = tables.map((table) => `(SELECT count() FROM ${database}.${table} ${where})`);
  const timeline = `(SELECT count() FROM ${database}.user_timeline(source = '${gateway.target.sourceIdentifier}', person = '${user}'))`;
  return count(`SELECT ${[...counts, timeline].join(' + ')} AS n`);
};
/** Counts raw rows: a message that was stored twice counts twice. */
const rowsOfOthers = (): Promise<number> =>
  count(`SELECT count() AS n FROM ${database}.events WHERE startsWith(user_id, 'other-')`);

const stored = (user: string) => eventually(async () => expect(await countRows(user)).toBeGreaterThan(25 * 2), 60_000);

/** Sets the group's offsets to the beginning, or to a time. The group must have no members. */
async function setBack(since = 0): Promise<void> {
  const admin = createKafka({ KAFKA_BROKERS: [...servers.brokers] }, 'erasure').admin();
  await admin.connect();
  for (const topic of topics) {
    const partitions = await admin.fetchTopicOffsetsByTimestamp(topic, since);
    await admin.setOffsets({ groupId: 'tracking', topic, partitions });
  }
  await admin.disconnect();
}

async function replay(since = 0): Promise<void> {
  await tracking.stop();
  await setBack(since);
  tracking = await startTracking(options);
}

/** Waits until all earlier messages are stored: everybody else has each of them once, and these users have no row. */
async function expectErased(...users: string[]): Promise<void> {
  await sendOthers();
  await eventually(async () => expect(await rowsOfOthers()).toBe(sent), 120_000);
  for (const user of users) expect([user, await countRows(user)]).toEqual([user, 0]);
}

it('a group that is set back to the beginning stores nothing of an erased person', async () => {
  await sendOthers();
  await sendPerson('p-reset');
  await stored('p-reset');
  await erase('p-reset', '--now');
  await expectErased('p-reset');
  await replay();
  await expectErased('p-reset');
}, 300_000);

it('a group whose blocks ClickHouse has forgotten stores nothing of them, after 10,001 other INSERTs', async () => {
  await client.command({
    query: `ALTER TABLE ${database}.events MODIFY SETTING parts_to_throw_insert = 100000, parts_to_delay_insert = 100000`,
  });
  // Each row is a block, and so makes a part and a token.
  await client.command({
    query: `INSERT INTO ${database}.events (source_id, event, user_id, message_id, received_at, properties, context)
            SELECT 'filler', 'e', 'filler', generateUUIDv4(), now64(3), '{}', '{}' FROM numbers(10001)`,
    clickhouse_settings: {
      ...{ max_block_size: '1', max_insert_block_size: '1', max_threads: 1, max_insert_threads: '1' },
      ...{ min_insert_block_size_rows: '1', min_insert_block_size_bytes: '1', insert_deduplicate: 1 },
    },
  });
  await replay();
  await expectErased('p-reset');
}, 900_000);

it('a restored older backup has nothing of erased persons once the erasures are done again', async () => {
  await sendPerson('p-backup');
  await stored('p-backup');
  const backupAt = Date.now();
  await client.command({ query: `BACKUP DATABASE ${database} TO File('before')` });
  await erase('p-backup', '--now');
  await expectErased('p-backup');
  await tracking.stop();
  await client.command({ query: `DROP DATABASE ${database} SYNC` });
  await client.command({ query: `RESTORE DATABASE ${database} FROM File('before')` });
  expect(await countRows('p-backup')).toBeGreaterThan(25);
  await setBack(backupAt - 2_000);
  tracking = await startTracking(options);
  await operator('privacy', 'reapply', '--since', new Date(backupAt).toISOString());
  await expectErased('p-backup', 'p-reset');
}, 400_000);

it('ends verified although operator, gateway, consumer and ClickHouse are killed again and again', async () => {
  const users = Array.from({ length: 6 }, (_, index) => `p-killed-${index}`);
  for (const user of users) await sendPerson(user);
  for (const user of users) await stored(user);
  for (const user of users) await erase(user);
  const victims: (() => Promise<void>)[] = [
    () => Promise.resolve(),
    async () => {
      await servers.clickhouseProcess.stop(0);
      await servers.restartClickHouse();
    },
    async () => {
      await tracking.stop(0);
      tracking = await startTracking(options);
    },
    async () => {
      await gateway.kill();
      await gateway.restart();
    },
  ];
  for (let turn = 0; turn < 12; turn += 1) {
    const run = spawn(process.execPath, [operatorProgram, 'privacy', 'run'], {
      env: { ...process.env, SLUICE_DATA_DIR: '/no/such/folder', ...settings },
      stdio: 'ignore',
    });
    await sleep(1_500 + turn * 700);
    await victims[turn % victims.length]?.();
    run.kill('SIGKILL');
  }
  await operator('privacy', 'run', '--for-at-most', '240');
  const { stdout } = await operator('privacy', 'status', '--json');
  const erasures = JSON.parse(stdout) as { state: string }[];
  expect(erasures.map(({ state }) => state)).toEqual(erasures.map(() => 'waiting'));
  await expectErased(...users, 'p-backup', 'p-reset');
  await replay();
  await expectErased(...users, 'p-backup', 'p-reset');
  expect(stdout).not.toContain('p-killed');
}, 900_000);
