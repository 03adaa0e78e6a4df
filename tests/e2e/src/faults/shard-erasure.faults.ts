import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, removeReplacedPartsAtOnce } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GuardedShards } from '../shards/guarded-shards.js';

// A person whose rows lie on two shards is erased from both, with the rights of docs/rights.md and no others.
// Runs the built apps (npm run build).

const persons = 100;
const anonymousEvents = 12;
const onShards = ['events', 'ad_requests'];
/** Tables with rows of people in this test. Those not in `onShards` are whole on each shard. */
const tables = [...onShards, 'identifies', 'users', 'push_devices'];
const qualifyTable = (table: string): string => `${onShards.includes(table) ? 'sluice_shard' : 'sluice'}.${table}`;

let life: GuardedShards;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-shard-erasure-'));
  life = await GuardedShards.start();
  const settings = {
    PRIVACY_KEY: 'a secret of the faults, long enough',
    PRIVACY_VERIFY_AFTER_SECONDS: '2',
    LOG_LEVEL: 'debug',
  };
  life.settings = settings;
  await life.servers.add();
  await life.servers.announceAll();
  life.isSharded = true;
  await life.operator('migrate');
  for (const name of life.servers.names) {
    const client = life.servers.client(name);
    try {
      await removeReplacedPartsAtOnce(client, tables.map(qualifyTable));
    } finally {
      await client.close();
    }
  }
  await life.startGateway();
  life.settings = { ...settings, GATEWAY_METRICS_URLS: life.gatewayMetrics };
  await life.startConsumers();
  await life.send(persons);
}, 240_000);
afterAll(async () => {
  await life.stop();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

const privacy = (command: string, user: string, ...more: string[]): Promise<string> =>
  life.operator('privacy', command, '--source', life.source.sourceIdentifier, '--user', user, ...more);

/** Rows of a table on each shard, in the order of the shards: raw ones, or `merged` with FINAL. */
const rows = (table: string, where: string, merged = ''): Promise<number[]> =>
  Promise.all(
    life.servers.names.map(async (name) => {
      const query = `SELECT count() AS n FROM ${qualifyTable(table)} ${merged} WHERE ${where}`;
      return Number((await life.servers.select<{ n: string }>(name, query))[0]?.n);
    }),
  );

/** Raw rows by table and shard. */
async function rowsByTable(where: string): Promise<Record<string, number[]>> {
  const counts = ['events', 'identifies', 'users'].map(async (table) => [table, await rows(table, where)]);
  return Object.fromEntries(await Promise.all(counts)) as Record<string, number[]>;
}
const countRowsByTable = (user: string) => rowsByTable(`startsWith(anonymous_id, 'a-${user}-') OR user_id = '${user}'`);
/** A repeat of an identify may add a row to `users`, until a merge: `users` is counted with FINAL. */
const rowsOfOthers = async () => {
  const otherPeople = `startsWith(user_id, 'user-')`;
  return { ...(await rowsByTable(otherPeople)), users: await rows('users', otherPeople, 'FINAL') };
};
const nothing = { events: [0, 0], identifies: [0, 0], users: [0, 0] };

/** Reads the state of each erasure. */
async function states(): Promise<string[]> {
  const erasures = JSON.parse(await life.operator('privacy', 'status', '--json')) as { state: string }[];
  return erasures.map(({ state }) => state);
}

/** Sends a person with several devices, whose events lie on both shards. Resolves when all is stored. */
async function addPerson(user: string): Promise<void> {
  for (let device = 0; device < anonymousEvents; device += 1) {
    const anonymousId = `a-${user}-${device}`;
    await life.post('track', { anonymousId, event: 'seen' });
    await life.post('identify', { userId: user, anonymousId, traits: { city: 'Shiraz' } });
  }
  await life.post('track', { userId: user, event: 'bought' });
  await eventually(async () => {
    const { events = [], identifies } = await countRowsByTable(user);
    expect(events[0]).toBeGreaterThan(0);
    expect(events[1]).toBeGreaterThan(0);
    expect((events[0] ?? 0) + (events[1] ?? 0)).toBe(anonymousEvents + 1);
    expect(identifies).toEqual([anonymousEvents, anonymousEvents]);
  }, 60_000);
}

it('exports the rows of both shards, and those of whole tables once', async () => {
  await addPerson('two-shards');
  const to = join(folder, 'export');
  await privacy('export', 'two-shards', '--to', to);
  const { tables: writtenTables } = JSON.parse(await readFile(join(to, 'manifest.json'), 'utf8')) as {
    tables: { table: string; rows: number }[];
  };
  const rowsIn = Object.fromEntries(writtenTables.map((table) => [table.table, table.rows]));
  expect(rowsIn).toMatchObject({ events: anonymousEvents + 1, identifies: anonymousEvents, users: 1 });
}, 120_000);

it('erases a person from both shards, and nobody else', async () => {
  const otherRows = await rowsOfOthers();
  const answer = await privacy('erase', 'two-shards', '--now', '--yes', '--json');
  const { erasures } = JSON.parse(answer) as { erasures: { state: string; rows: Record<string, number> }[] };
  expect(erasures).toMatchObject([{ state: 'waiting' }]);
  expect(erasures[0]?.rows).toMatchObject({ events: anonymousEvents + 1, identifies: anonymousEvents });
  expect(await countRowsByTable('two-shards')).toEqual(nothing);
  expect(await rowsOfOthers()).toEqual(otherRows);
}, 120_000);

it('forgets the links of an id on both shards, and those of nobody else', async () => {
  for (const user of ['tablet', 'kept']) await addPerson(user);
  const linkedTo = (user: string): Promise<number[]> =>
    Promise.all(
      life.servers.names.map(async (name) => {
        const query = `SELECT count() AS n FROM events_resolved(source = '${life.source.sourceIdentifier}')
                       WHERE person_id = '${user}' AND user_id = ''`;
        return Number((await life.servers.select<{ n: string }>(name, query))[0]?.n);
      }),
    );
  expect(await linkedTo('tablet')).toEqual([anonymousEvents, anonymousEvents]);
  await privacy('forget-links', 'tablet', '--by', 'test', '--yes');
  expect(await linkedTo('tablet')).toEqual([0, 0]);
  expect(await linkedTo('kept')).toEqual([anonymousEvents, anonymousEvents]);
}, 120_000);

it('an erasure is not verified while a shard cannot be asked, and ends when it answers', async () => {
  await addPerson('half');
  const otherRows = await rowsOfOthers();
  await privacy('erase', 'half', '--yes');
  await life.servers.kill('b');
  await expect(life.operator('privacy', 'run', '--for-at-most', '20')).rejects.toThrow();
  expect(await states()).toEqual(['waiting', expect.not.stringMatching(/^(?:verified|waiting|closed)$/)]);
  await life.servers.restart('b');
  await life.operator('privacy', 'run', '--for-at-most', '120');
  expect(await states()).toEqual(['waiting', 'waiting']);
  expect(await countRowsByTable('half')).toEqual(nothing);
  expect(await rowsOfOthers()).toEqual(otherRows);
}, 300_000);

it('stores nothing of erased persons on any shard when groups are set back to the beginning', async () => {
  const otherRows = await rowsOfOthers();
  await life.stopConsumers();
  await life.setBack(0);
  await life.startConsumers();
  // Messages that are sent now are stored after all earlier ones.
  await addPerson('last');
  await eventually(async () => expect(await rowsOfOthers()).toEqual(otherRows), 60_000);
  for (const user of ['two-shards', 'half']) expect(await countRowsByTable(user)).toEqual(nothing);
  expect(await life.refusals()).toEqual([]);
}, 240_000);

it('leaves the ids of erased persons in no log, metric, audit record, mutation or status', async () => {
  const audit = await life.servers.select('a', 'SELECT * FROM sluice.operator_actions FINAL');
  const mutations = await Promise.all(
    life.servers.names.map((name) => life.servers.select(name, 'SELECT command FROM system.mutations')),
  );
  const addresses = [life.gatewayMetrics, ...life.consumers.map(({ spec }) => `http://127.0.0.1:${spec.port}/metrics`)];
  const metrics = await Promise.all(addresses.map(async (address) => (await fetch(address)).text()));
  const status = await life.operator('privacy', 'status', '--json');
  const texts = [await life.logs(), ...metrics, status, JSON.stringify([audit, mutations])].join('\n');
  for (const sign of ['privacy.erase', 'sluice_privacy_registry_offset', 'erasure ', 'waiting', '"level":'])
    expect(texts).toContain(sign);
  for (const id of ['two-shards', 'half']) expect(texts).not.toMatch(new RegExp(`\\b${id}\\b`));
}, 60_000);
