import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { type ErasureList, type ErasureView, type Person, type PersonPreview } from '@sluice/console-api';
import { auditTopic } from '@sluice/contracts';
import { CompactedTopicFollower, createKafka } from '@sluice/kafka';
import { type ExportManifest, findMigrations } from '@sluice/operations';
import { ensureSourcesTopic, SourceReader, SourceWriter } from '@sluice/sources';
import { eventually } from '@sluice/testing';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { type TestConsole } from '../test-console.spec-support.js';

// Own topics: suppressions of another key would stop the apps of other specs.
vi.hoisted(() => {
  process.env['TOPIC_PREFIX'] = `people${process.pid}.`;
});
const { consoleUrl, sameOrigin, TestConsole: Site } = await import('../test-console.spec-support.js');

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `people_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const kafkaConfig = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 1, TOPIC_REPLICATION_FACTOR: 1 };
const environment = {
  CLICKHOUSE_DATABASE: config.CLICKHOUSE_DATABASE,
  PRIVACY_KEY: 'a secret of the tests, long enough',
};
const kafka = createKafka(kafkaConfig, 'test');
const clickhouse = createClickHouse(config);
const sources = new SourceReader(kafka);
const user = `ann-${randomUUID()}`;
const rows = 7;
let site: TestConsole;
let [source, cookie] = ['', ''];

beforeAll(async () => {
  await migrate(config, await findMigrations());
  await ensureSourcesTopic(kafka, kafkaConfig);
  await sources.start();
  const created = await new SourceWriter(kafka, sources.registry).create({ name: 'shop', type: 'tracking-api' });
  source = created.source.sourceIdentifier;
  const values = Array.from({ length: rows }, (_, index) => ({
    ...{
      source_id: source,
      user_id: user,
      anonymous_id: `phone of ${user}`,
      message_id: randomUUID(),
      event: 'bought',
    },
    ...{ timestamp: Date.now(), received_at: Date.now(), properties: { index } },
  }));
  await clickhouse.insert({ table: 'events', values, format: 'JSONEachRow' });
  site = await Site.start(environment);
  ({ cookie } = await site.signIn('viewer', false, true));
  await eventually(async () => expect((await preview()).statusCode).toBe(200));
}, 90_000);
afterAll(async () => {
  await site.stop();
  await sources.stop();
  await clickhouse.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await clickhouse.close();
});

const ann = (): Person => ({ source, ids: [{ kind: 'user', id: user }] });
const ask = (operation: string, body: object) => site.ask('POST', `/api/privacy/${operation}`, { cookie, body });
const preview = (person: Person = ann()) => ask('preview', person);
const shown = async (): Promise<PersonPreview> => (await preview()).json<PersonPreview>();

it('is a right of its own, which no role has', async () => {
  const { cookie: admin } = await site.signIn('admin', true);
  const refused = await site.ask('POST', '/api/privacy/preview', { cookie: admin, body: ann() });
  expect(refused.statusCode).toBe(403);
  expect(refused.body).toContain('right to answer requests of people');
  const { cookie: granted } = await site.signIn('admin', false, true);
  expect((await site.ask('GET', '/api/session', { cookie: granted })).json()).toMatchObject({
    user: { privacy: true },
  });
});

it('counts what is stored of a person, and suppresses and unsuppresses them', async () => {
  expect(await shown()).toMatchObject({
    sources: [{ sourceIdentifier: source, sourceName: 'shop', rows: { events: rows } }],
    ...{ found: 1, emptySources: [], emptyCount: 0, erasures: [] },
    ...{ ids: { user: 1, anonymous: 1 }, rows: { events: rows }, isSuppressed: false },
  });
  const suppressed = await ask('suppress', ann());
  expect(suppressed.json(), suppressed.body).toEqual({ changed: 2 });
  expect(await shown()).toMatchObject({ isSuppressed: true });
  expect((await ask('unsuppress', ann())).json()).toEqual({ changed: 2 });
  expect(await shown()).toMatchObject({ isSuppressed: false });
});

it('says where rows are, and which sources were searched without any', async () => {
  const writer = new SourceWriter(kafka, sources.registry);
  const { source: empty } = await writer.create({ name: 'Quiet', type: 'tracking-api' });
  await eventually(async () => {
    const answer = (await preview({ ...ann(), source: null })).json<PersonPreview>();
    expect(answer).toMatchObject({ sources: [{ sourceIdentifier: source, rows: { events: rows } }], found: 1 });
    expect(answer).toMatchObject({ emptyCount: 1, emptySources: [empty.name], ids: { user: 1, anonymous: 1 } });
  });
});

it('exports a ZIP file whose rows are those of its manifest', async () => {
  const answer = await ask('export', ann());
  expect(answer.headers['content-type']).toBe('application/zip');
  const files = unzipSync(answer.rawPayload);
  const manifest = JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array())) as ExportManifest;
  expect(manifest.tables.find(({ table }) => table === 'events')).toMatchObject({ file: 'events.ndjson', rows });
  for (const { file, rows: counted } of manifest.tables) {
    const lines = strFromU8(files[file] ?? new Uint8Array()).split('\n');
    expect(lines.slice(0, -1), file).toHaveLength(counted);
  }
  expect(strFromU8(files['events.ndjson'] ?? new Uint8Array())).toContain(user);
});

it('stores an erasure, once for the same person, and shows it to everyone with the right', async () => {
  const erase = async () => {
    const answer = await ask('erasures', { ...ann(), by: 'PRIV-1042' });
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json<ErasureView>();
  };
  const { request } = await erase();
  expect((await erase()).request).toBe(request);
  const erasures = [{ request, state: 'requested', isOfAll: true }];
  await eventually(async () => expect(await shown()).toMatchObject({ erasures }));
  // The same person with one id more, and in all sources.
  const ids = [...ann().ids, { kind: 'user' as const, id: 'other' }];
  for (const person of [
    { source, ids },
    { ...ann(), source: null },
  ])
    expect((await preview(person)).json<PersonPreview>().erasures).toMatchObject([{ request, isOfAll: false }]);
  await eventually(async () => {
    const list = (await site.ask('GET', '/api/privacy/erasures', { cookie })).json<ErasureList>();
    expect(list).toMatchObject({ open: 1, erasures: [{ request, state: 'requested', by: 'PRIV-1042' }] });
    expect(JSON.stringify(list)).not.toContain(user);
  });
  const restored = await ask('reapply', { since: '2026-01-01T00:00:00Z' });
  expect(restored.json(), restored.body).toEqual({ again: 0, closed: [] });
});

it.each<[string, object, number, string]>([
  ['suppress', { source: null, ids: [{ kind: 'seller', id: 's-1' }] }, 400, 'seller'],
  ['preview', { source: 'AbCdEf123456', ids: [{ kind: 'user', id: 'u' }] }, 404, 'no source'],
  ['preview', { source: null, ids: [] }, 400, 'ids'],
  ['preview', { source: null, ids: [{ kind: 'user', id: ' ' }] }, 400, 'id is required'],
  ['preview', { source: null, ids: [{ kind: 'user', id: 'x'.repeat(257) }] }, 400, '256'],
  ['reapply', { since: 'yesterday' }, 400, 'since'],
])('%s of %j is answered %i', async (operation, body, status, sentence) => {
  const answer = await ask(operation, body);
  expect(answer.statusCode, answer.body).toBe(status);
  expect(answer.body).toContain(sentence);
});

it('answers one request of a user at a time', async () => {
  const statuses = (await Promise.all([preview(), preview(), preview()])).map(({ statusCode }) => statusCode);
  expect(statuses.toSorted()).toEqual([200, 429, 429]);
});

it('ends its questions when the browser leaves, and takes the next one of the same user', async () => {
  const running = async (): Promise<number> => {
    const query = `SELECT 1 FROM system.processes WHERE current_database = '${config.CLICKHOUSE_DATABASE}' AND query LIKE '%identity IN%' AND query NOT LIKE '%processes%'`;
    return (await (await clickhouse.query({ query, format: 'JSONEachRow' })).json()).length;
  };
  // Reading the rows takes seconds.
  await clickhouse.command({ query: 'RENAME TABLE events TO quick_events' });
  await clickhouse.command({
    query: 'CREATE VIEW events AS SELECT *, identity FROM quick_events WHERE sleepEachRow(0.4) = 0',
  });
  await site.app.listen(0, '127.0.0.1');
  try {
    const headers = { host: new URL(consoleUrl).host, ...sameOrigin, cookie, 'content-type': 'application/json' };
    const browser = request(`${await site.app.getUrl()}/api/privacy/preview`, { method: 'POST', headers });
    browser.on('error', () => undefined).end(JSON.stringify(ann()));
    await eventually(async () => expect(await running()).toBeGreaterThan(0), 10_000);
    const leftAt = performance.now();
    browser.destroy();
    await eventually(async () => expect(await running()).toBe(0), 10_000);
    // The rows are read twice; ClickHouse ends a question after the block that it reads.
    expect(performance.now() - leftAt).toBeLessThan(4_500);
    // The request itself ends a moment after its questions.
    await eventually(async () => {
      const next = await ask('reapply', { since: new Date().toISOString() });
      expect(next.statusCode, next.body).toBe(200);
    });
  } finally {
    await clickhouse.command({ query: 'DROP VIEW events' });
    await clickhouse.command({ query: 'RENAME TABLE quick_events TO events' });
  }
});

it('says that it has no key', async () => {
  const other = await Site.start({ ...environment, PRIVACY_KEY: '' });
  try {
    const { cookie: privileged } = await other.signIn('viewer', false, true);
    await eventually(async () => {
      const answer = await other.ask('POST', '/api/privacy/preview', { cookie: privileged, body: ann() });
      expect(answer.statusCode).toBe(400);
      expect(answer.body).toContain('PRIVACY_KEY');
    });
  } finally {
    await other.stop();
  }
});

it('records every action, without an id', async () => {
  const records: string[] = [];
  const follower = new CompactedTopicFollower(kafka, auditTopic.name, () => ({
    take: ({ value }) => void records.push(String(value)),
    caughtUp: () => undefined,
  }));
  await follower.start();
  await follower.stop();
  const operations = ['suppress', 'unsuppress', 'export', 'erase', 'reapply'].map((one) => `privacy.${one}`);
  for (const operation of operations)
    expect(
      records.some((one) => one.includes(operation)),
      operation,
    ).toBe(true);
  expect(records.filter((one) => one.includes(user))).toEqual([]);
});
