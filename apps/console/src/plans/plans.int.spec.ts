import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { type PlanCoverage, type PlanMode, type PlanViolations, type SourcePlans } from '@sluice/console-api';
import { createKafka } from '@sluice/kafka';
import { findMigrations } from '@sluice/operations';
import { ensurePlansTopic, parsePlan, preparePlanImport, PlanReader, PlanWriter } from '@sluice/plans';
import { ensureSourcesTopic, SourceReader, SourceWriter } from '@sluice/sources';
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { TestConsole } from '../test-console.spec-support.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `plans_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const kafkaConfig = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 1, TOPIC_REPLICATION_FACTOR: 1 };
const dayMs = 86_400_000;
const kafka = createKafka(kafkaConfig, 'test');
const clickhouse = createClickHouse(config);
const [sources, plans] = [new SourceReader(kafka), new PlanReader(kafka)];
let site: TestConsole;
let [id, editor, viewer] = ['', '', ''];

const plan = (version: number, total = 'number') =>
  parsePlan({
    version,
    sources: [id],
    events: { paid: { properties: { total: { type: total } }, required: ['total'] } },
  });

/** A stored event that the first version has judged. */
const aRow = (ageMs: number, violations: string[], event = 'paid') => ({
  source_id: id,
  request_id: randomUUID(),
  received_at: Date.now() - ageMs,
  message_id: randomUUID(),
  user_id: 'u',
  timestamp: Date.now() - ageMs,
  event,
  properties: violations.length > 0 ? {} : { total: 1 },
  plan_version: 1,
  violations,
});

beforeAll(async () => {
  await migrate(config, await findMigrations());
  await Promise.all([ensureSourcesTopic(kafka, kafkaConfig), ensurePlansTopic(kafka, kafkaConfig)]);
  await Promise.all([sources.start(), plans.start()]);
  const created = await new SourceWriter(kafka, sources.registry).create({
    name: `shop-${randomUUID()}`,
    type: 'tracking-api',
  });
  id = created.source.sourceIdentifier;
  const writer = new PlanWriter(kafka, plans.registry);
  for (const one of [plan(1), plan(2, 'integer')]) await writer.import(preparePlanImport(plans.registry, one));
  site = await TestConsole.start({ CLICKHOUSE_DATABASE: config.CLICKHOUSE_DATABASE });
  ({ cookie: editor } = await site.signIn('editor'));
  ({ cookie: viewer } = await site.signIn('viewer'));
  await eventually(async () => expect((await shown()).plans).toHaveLength(2));
}, 90_000);
afterAll(async () => {
  await site.stop();
  await Promise.all([sources.stop(), plans.stop(), clickhouse.close()]);
});

const shown = async (): Promise<SourcePlans> =>
  (await site.ask('GET', `/api/sources/${id}/plans`, { cookie: viewer })).json<SourcePlans>();
const activate = (versions: number[], mode: PlanMode, { candidate = null as number | null, cookie = editor } = {}) =>
  site.ask('PUT', `/api/sources/${id}/plans`, { cookie, body: { versions, mode, candidate } });

describe('activation', () => {
  it('is for editors, and of plans that exist', async () => {
    expect((await activate([1], 'observe', { cookie: viewer })).statusCode).toBe(403);
    expect((await activate([9], 'observe')).statusCode).toBe(400);
    const unknown = await site.ask('GET', '/api/sources/AbCdEf123456/plans', { cookie: viewer });
    expect(unknown.statusCode).toBe(404);
    expect((await shown()).versions).toEqual([]);
  });

  it('shows what differs before, and gateways know it after', async () => {
    expect((await activate([1], 'observe', { candidate: 2 })).statusCode).toBe(200);
    await eventually(() => expect(plans.registry.activation(id)).toMatchObject({ versions: [1], candidate: 2 }));
    await eventually(async () => {
      const { plans: listed, mode } = await shown();
      expect(listed.map(({ version, state }) => [version, state])).toEqual([
        [2, 'candidate'],
        [1, 'active'],
      ]);
      expect(mode).toBe('observe');
    });
    const query = `/api/sources/${id}/plans/preview?versions=2&mode=observe`;
    const preview = await site.ask('GET', query, { cookie: editor });
    expect(preview.json()).toEqual({
      differences: [{ path: 'events.paid.properties.total.type', before: '"number"', after: '"integer"' }],
      candidateDifferences: [],
      observation: null,
    });
    const observed = `/api/sources/${id}/plans/preview?versions=1&mode=observe&candidate=2`;
    expect((await site.ask('GET', observed, { cookie: editor })).json()).toEqual({
      differences: [],
      candidateDifferences: [{ path: 'events.paid.properties.total.type', before: '"number"', after: '"integer"' }],
      observation: null,
    });
  });

  it('may refuse after seven days of observation, not sooner', async () => {
    await clickhouse.insert({ table: 'events', values: [aRow(dayMs, [])], format: 'JSONEachRow' });
    const dropping = await site.ask('GET', `/api/sources/${id}/plans/preview?versions=1&mode=drop`, { cookie: editor });
    expect(dropping.json()).toMatchObject({ observation: { judged: 1, violating: 0, isLongEnough: false } });
    const early = await activate([1], 'refuse');
    expect([early.statusCode, early.body]).toEqual([400, expect.stringContaining('seven days')]);
    await clickhouse.insert({ table: 'events', values: [aRow(8 * dayMs, [])], format: 'JSONEachRow' });
    const late = await activate([1], 'refuse');
    expect([late.statusCode, late.json()]).toMatchObject([200, { observation: { isLongEnough: true } }]);
    await eventually(() => expect(plans.registry.activation(id)).toMatchObject({ mode: 'refuse' }));
  });

  it('of nothing ends it', async () => {
    expect((await activate([], 'observe')).json()).toEqual({
      differences: [],
      candidateDifferences: [],
      observation: null,
    });
    await eventually(() => expect(plans.registry.activation(id)).toBeUndefined());
  });
});

it('violations and coverage are those of the stored rows', async () => {
  const rows = [
    ...[1, 2, 3].map((n) => aRow(n * 60_000, [])),
    ...[1, 2].map((n) => aRow(n * 1_000, ['missing:total'])),
    aRow(1_000, ['unknown_event'], 'payd'),
  ];
  await clickhouse.insert({ table: 'events', values: rows, format: 'JSONEachRow' });
  const read = async <Answer>(what: string): Promise<Answer> =>
    (await site.ask('GET', `/api/sources/${id}/plans/${what}`, { cookie: viewer })).json<Answer>();
  const { violations, found } = await read<PlanViolations>('violations');
  const { events: coverage } = await read<PlanCoverage>('coverage');
  expect(found).toBe(2);
  expect((await read<PlanViolations>('violations?skip=1&limit=1')).violations).toEqual(violations.slice(1));
  expect(violations).toEqual([
    expect.objectContaining({ event: 'paid', rule: 'missing', path: 'total', messages: 2, people: 1 }),
    expect.objectContaining({ event: 'payd', rule: 'unknown_event', path: '', messages: 1, share: 1 }),
  ]);
  expect(violations[0]?.requestId).toBe(rows[3]?.request_id);
  // One more was stored a day ago, for the activation.
  expect(violations[0]?.share).toBeCloseTo(2 / 6);
  expect(coverage).toEqual([
    { event: 'paid', messages: 6, planned: 6, violating: 2 },
    { event: 'payd', messages: 1, planned: 0, violating: 1 },
  ]);
});
