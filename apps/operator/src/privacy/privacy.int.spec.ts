import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { type ErasureReport, type ExportManifest, findMigrations, type SourceView } from '@sluice/operations';
import { removeReplacedPartsAtOnce } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';

// Own topics: those of other specs in the same Kafka hold messages that nobody stores.
vi.hoisted(() => {
  process.env['TOPIC_PREFIX'] = `privacy${process.pid}.`;
});
const { json, operator } = await import('../operator.spec-support.js');

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `privacy_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
let source: string;
let folder: string;
let gateway: Server;
/** Offset of suppressions.v1 that the gateway reports as known. */
let knownOffset = 1_000_000;

beforeAll(async () => {
  gateway = createServer((_, answer) => {
    answer.end(`sluice_build_info{app="gateway",host="g-1"} 1\nsluice_privacy_registry_offset ${knownOffset}\n`);
  }).listen(0, '127.0.0.1');
  folder = await mkdtemp(join(tmpdir(), 'sluice-privacy-'));
  const variables = {
    ...{ SLUICE_DATA_DIR: '/no/such/folder', KAFKA_BROKERS: inject('kafkaBrokers').join(',') },
    ...{ CLICKHOUSE_URL: config.CLICKHOUSE_URL, CLICKHOUSE_DATABASE: config.CLICKHOUSE_DATABASE },
    ...{ TOPIC_PARTITIONS: '1', TOPIC_REPLICATION_FACTOR: '1' },
    PRIVACY_VERIFY_AFTER_SECONDS: '0',
    PRIVACY_KEY: 'a secret of the tests, long enough',
    GATEWAY_METRICS_URLS: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/metrics`,
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  await migrate(config, await findMigrations());
  await removeReplacedPartsAtOnce(client, ['events', 'identifies', 'users']);
  const createdSource = await json<SourceView>('sources', 'create', '--name', 'Shop', '--type', 'web-sdk');
  source = createdSource.sourceIdentifier;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  gateway.close();
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
  await rm(folder, { recursive: true });
});

async function store(user: string, events = 3): Promise<void> {
  const receivedAt = new Date(Date.now() - 60_000).toISOString();
  const common = {
    source_id: source,
    user_id: user,
    anonymous_id: `a-${user}`,
    timestamp: receivedAt,
    received_at: receivedAt,
  };
  const settings = { date_time_input_format: 'best_effort' } as const;
  const values = Array.from({ length: events }, (_, index) => ({
    ...{ ...common, message_id: randomUUID(), event: `it's "event" ${index}`, context: {}, properties: { index } },
  }));
  await client.insert({ table: 'events', values, format: 'JSONEachRow', clickhouse_settings: settings });
  const identify = { ...common, message_id: randomUUID(), traits: { email: `${user}@example.com` }, context: {} };
  await client.insert({
    table: 'identifies',
    values: [identify],
    format: 'JSONEachRow',
    clickhouse_settings: settings,
  });
}

interface Erased {
  preview: { rows: Record<string, number>; ids: Record<string, number> };
  erasures: ErasureReport[];
}

it('says what an erasure deletes, and changes nothing without --yes', async () => {
  await store('u-1');
  const answer = await operator('privacy', 'erase', '--source', source, '--user', 'u-1', '--json');
  expect(answer).toMatchObject({ exitCode: 1 });
  expect(answer.stderr).toContain('nothing was changed');
  const { preview, erasures } = JSON.parse(answer.stdout) as Erased;
  expect([preview.rows, preview.ids]).toEqual([
    { events: 3, identifies: 1, users: 1 },
    { user: 1, anonymous: 1 },
  ]);
  expect(erasures).toEqual([]);
  expect(await json('privacy', 'status')).toEqual([]);
});

it('erases at once, or in a run with all others; no output, audit record or statement has an id', async () => {
  await Promise.all([store('u-secret-2'), store('u-secret-3'), store('u-4')]);
  const eraseOutput = await operator('privacy', 'erase', '--source', source, '--user', 'u-secret-3', '--yes', '--json');
  expect((JSON.parse(eraseOutput.stdout) as Erased).erasures[0]).toMatchObject({ state: 'requested' });
  const now = await operator(
    'privacy',
    'erase',
    '--source',
    source,
    '--user',
    'u-secret-2',
    '--yes',
    '--now',
    '--json',
  );
  expect(now).toMatchObject({ exitCode: 0 });
  expect((JSON.parse(now.stdout) as Erased).erasures[0]).toMatchObject({
    state: 'waiting',
    rows: { events: 3, identifies: 1, users: 1 },
  });
  const readRows = async (): Promise<unknown[]> =>
    (await client.query({ query: 'SELECT DISTINCT user_id FROM events ORDER BY 1', format: 'JSONEachRow' })).json();
  expect(await readRows()).toEqual([{ user_id: 'u-1' }, { user_id: 'u-4' }, { user_id: 'u-secret-3' }]);

  const run = await operator('privacy', 'run', '--json');
  expect(run).toMatchObject({ exitCode: 0 });
  expect((JSON.parse(run.stdout) as ErasureReport[]).map(({ state }) => state)).toEqual(['waiting', 'waiting']);
  expect(await readRows()).toEqual([{ user_id: 'u-1' }, { user_id: 'u-4' }]);
  const status = await operator('privacy', 'status');
  const printed = [eraseOutput, now, run, status].map(({ stdout, stderr }) => stdout + stderr).join('\n');
  expect(printed).toContain('verified');
  expect(printed).not.toContain('u-secret');
  const mutations = await client.query({ query: 'SELECT command FROM system.mutations', format: 'JSONEachRow' });
  expect(JSON.stringify(await mutations.json())).not.toContain('u-secret');
});

it('waits until every gateway knows the suppression, and names the one that does not', async () => {
  await store('u-5');
  knownOffset = -1;
  await operator('privacy', 'erase', '--source', source, '--user', 'u-5', '--yes');
  const run = await operator('privacy', 'run', '--for-at-most', '1');
  expect(run.exitCode).toBe(1);
  expect(run.stdout).toContain('does not know the suppression yet');
  knownOffset = 1_000_000;
  expect(await operator('privacy', 'run')).toMatchObject({ exitCode: 0 });
});

it('exports the present state of a seller, which is the deletion of one who left', async () => {
  const states = [
    { seller_id: 's-stays', version: 1, first_name: 'Ada' },
    { seller_id: 's-left', version: 1, first_name: 'Bea' },
    { seller_id: 's-left', version: 2, is_deleted: true },
  ];
  for (const state of states)
    await client.insert({ table: 'sellers', values: [{ source_id: source, ...state }], format: 'JSONEachRow' });
  const exportSeller = async (id: string): Promise<unknown[]> => {
    const to = join(folder, id);
    await json('privacy', 'export', '--source', source, '--seller', id, '--to', to);
    const lines = (await readFile(join(to, 'sellers.ndjson'), 'utf8')).trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as unknown);
  };
  expect(await exportSeller('s-stays')).toMatchObject([{ first_name: 'Ada', is_deleted: false }]);
  expect(await exportSeller('s-left')).toMatchObject([{ first_name: '', is_deleted: true }]);
});

it('exports all rows of a person with a manifest of counts, and none of one who was erased', async () => {
  await store('u-6', 500);
  const to = join(folder, 'u-6');
  const printed = await operator('privacy', 'export', '--source', source, '--user', 'u-6', '--to', to, '--json');
  expect(printed).toMatchObject({ exitCode: 0, stderr: '' });
  const manifest = JSON.parse(await readFile(join(to, 'manifest.json'), 'utf8')) as ExportManifest;
  const counts = Object.fromEntries(
    manifest.tables.filter(({ rows }) => rows > 0).map(({ table, rows }) => [table, rows]),
  );
  expect(counts).toEqual({ events: 500, identifies: 1, users: 1 });
  const rows = (await readFile(join(to, 'events.ndjson'), 'utf8')).trimEnd().split('\n');
  expect(rows.map((row) => (JSON.parse(row) as { user_id: string }).user_id)).toEqual(Array(500).fill('u-6'));
  expect(printed.stdout).not.toContain('u-6@');

  expect((await operator('privacy', 'export', '--source', source, '--user', 'u-6', '--to', to)).stderr).toContain(
    'is not empty',
  );
  const emptyManifest = await json<ExportManifest>(
    'privacy',
    'export',
    '--source',
    source,
    '--user',
    'u-5',
    '--to',
    join(folder, 'gone'),
  );
  expect(emptyManifest.tables.every(({ rows: count }) => count === 0)).toBe(true);
});

it.each([
  ['no source', ['--user', 'u'], 'name a source'],
  ['an unknown source', ['--source', 'Unknown12345', '--user', 'u'], 'There is no source'],
  ['no person', ['--all-sources'], 'name someone'],
  ['an empty id', ['--all-sources', '--user', ''], '1 to 256 characters'],
  ['an empty seller', ['--all-sources', '--seller', ''], '1 to 256 characters'],
])('refuses %s', async (_, options, why) => {
  expect((await operator('privacy', 'erase', ...options)).stderr).toContain(why);
});

it('refuses to work without the key', async () => {
  vi.stubEnv('PRIVACY_KEY', '');
  expect((await operator('privacy', 'status')).stderr).toContain('PRIVACY_KEY is not set');
});

it('suppresses a user with the anonymous ids that belong to it, and names neither', async () => {
  vi.stubEnv('PRIVACY_KEY', 'a secret of the tests, long enough');
  await store('u-secret-5');
  const person = ['--source', source, '--user', 'u-secret-5'];
  const kinds = ({ changed }: { changed: { kind: string }[] }): string[] => changed.map(({ kind }) => kind);
  const suppressed = await operator('privacy', 'suppress', ...person, '--by', 'ticket 5');
  expect(suppressed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(suppressed.stdout).toContain('Suppressed: 2');
  expect(suppressed.stdout).not.toContain('u-secret');
  expect(kinds(await json('privacy', 'unsuppress', ...person, '--only-named'))).toEqual(['user']);
  expect(kinds(await json('privacy', 'unsuppress', ...person))).toEqual(['anonymous']);
  expect(kinds(await json('privacy', 'unsuppress', ...person))).toEqual([]);
});
