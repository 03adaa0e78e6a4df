import { randomUUID } from 'node:crypto';
import { createKafka, writeCompacted } from '@sluice/kafka';
import { type PlanMode, plansTopic } from '@sluice/plans';
import { eventually } from '@sluice/testing';
import { beforeAll, expect, it } from 'vitest';
import { type HttpAnswer, local, operator, post, select, type SourceCredentials } from '../stack.js';
import { activate, shopPlan } from './active-plan.js';

const good = {
  userId: 'u',
  event: 'order_completed',
  properties: { order_id: 'o-1', total: 5, items: [{ price: 5 }] },
};
const bad = {
  userId: 'u',
  event: 'order_completed',
  properties: { total: 'ten', colour: 'red', items: [{ price: 'x', size: 1 }] },
};
const violations = [
  'missing:order_id',
  'wrong_type:total',
  'unknown:colour',
  'wrong_type:items[].price',
  'unknown:items[].size',
];
const misspelt = { userId: 'u', event: 'order_complete', properties: {} };

const kafka = () => createKafka({ KAFKA_BROKERS: local().kafka.brokers }, 'test');

const sources = new Map<PlanMode, SourceCredentials>();
beforeAll(async () => {
  for (const mode of ['observe', 'drop', 'refuse'] as const) {
    const source = await operator<SourceCredentials>('sources', 'create', '--name', mode, '--type', 'tracking-api');
    sources.set(mode, source);
    await activate(kafka(), {
      source: source.sourceIdentifier,
      plan: shopPlan(source.sourceIdentifier, 3),
      mode,
    });
  }
  await eventually(async () => {
    for (const mode of sources.keys())
      expect((await validated(mode, misspelt)).status).toBe(mode === 'refuse' ? 400 : 200);
    expect((await validated('drop', misspelt)).body).toHaveProperty('violations');
    expect((await validated('observe', misspelt)).body).toHaveProperty('violations');
  });
});

const sourceInMode = (mode: PlanMode): SourceCredentials => {
  const source = sources.get(mode);
  if (!source) throw new Error(`no source of mode ${mode}`);
  return source;
};
const send = (mode: PlanMode, endpoint: string, body: unknown, headers: Record<string, string> = {}) =>
  post(endpoint, body, { source: sourceInMode(mode), headers });
const validated = (mode: PlanMode, body: unknown, endpoint = 'track') => send(mode, `${endpoint}?validate=only`, body);
const readRequestId = ({ headers }: HttpAnswer): string => headers.get('x-request-id') ?? '';

/** Rows of a request, in the order of their messages. */
function storedRows(answer: HttpAnswer, columns: string, table = 'events'): Promise<Record<string, unknown>[]> {
  return select(`SELECT ${columns} FROM ${table} WHERE request_id = {id:UUID} ORDER BY kafka_offset`, {
    id: readRequestId(answer),
  });
}
const sorted = (texts: unknown): string[] => (texts as string[]).toSorted();

it('observe stores a message as it was sent, with the verdict on its row', async () => {
  const answer = await send('observe', 'trackBatch', { list: [good, bad, misspelt] });
  expect(answer).toMatchObject({ status: 200, body: { status: 'QUEUED' } });
  expect(answer.body).not.toHaveProperty('violations');
  const rows = await eventually(async () => {
    const rows = await storedRows(answer, 'plan_version, violations, properties');
    expect(rows).toHaveLength(3);
    return rows;
  });
  expect(rows.map((row) => [row['plan_version'], sorted(row['violations'])])).toEqual([
    [3, []],
    [3, violations.toSorted()],
    [3, ['unknown_event']],
  ]);
  expect(rows[1]?.['properties']).toEqual(bad.properties);
});

it('drop leaves out what the plan does not allow, and names it', async () => {
  const answer = await send('drop', 'track', bad);
  const { dropped } = answer.body as { dropped: { field: string }[] };
  expect(answer.status).toBe(200);
  expect(sorted(dropped.map(({ field }) => field))).toEqual(
    ['properties.colour', 'properties.items[0].price', 'properties.items[0].size', 'properties.total'].toSorted(),
  );
  const [row] = await eventually(async () => {
    const rows = await storedRows(answer, 'violations, properties');
    expect(rows).toHaveLength(1);
    return rows;
  });
  expect(sorted(row?.['violations'])).toEqual(violations.toSorted());
  expect(JSON.stringify(row?.['properties'])).not.toMatch(/ten|colour|size|x/);
});

it('refuse answers a strict request 400 by field, and keeps the message whole, once per Idempotency-Key', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const answers = [await send('refuse', 'track', bad, headers), await send('refuse', 'track', bad, headers)];
  for (const { status, body } of answers) {
    expect(status).toBe(400);
    expect(body).toContainEqual({ field: 'properties.total', message: 'has a type that the plan does not allow' });
    expect(body).toContainEqual({ field: 'properties.order_id', message: 'is required by the plan' });
  }
  const batch = await send('refuse', 'trackBatch', { list: [good, misspelt, { userId: 'u' }] });
  expect(batch.status).toBe(400);
  expect(batch.body).toContainEqual({ field: 'list[1].event', message: 'is not an event of the plan' });
  expect((batch.body as { field: string }[]).map(({ field }) => field)).toContain('list[2].event');

  const columns = 'toString(message_id) AS id, event, reason, plan_version, violations, body, user_id';
  const [row] = await eventually(async () => {
    const rows = await Promise.all(
      [...answers, batch].map((answer) => storedRows(answer, columns, 'refused_messages')),
    );
    expect(rows.map((rowsOfAnswer) => rowsOfAnswer.length)).toEqual([1, 0, 1]);
    return rows.flat();
  });
  expect(row).toMatchObject({ event: 'order_completed', reason: 'plan', plan_version: 3, user_id: 'u' });
  expect(JSON.parse(String(row?.['body']))).toEqual(bad);
  for (const answer of [...answers, batch]) expect(await storedRows(answer, 'event')).toEqual([]);
});

it('refuse keeps the bad items of a lenient batch, and stores the good ones', async () => {
  const answer = await send('refuse', 'trackBatch', { list: [good, bad, good] }, { prefer: 'handling=lenient' });
  expect(answer).toMatchObject({ status: 200 });
  const { rejected } = answer.body as { rejected: { field: string }[] };
  expect(rejected.every(({ field }) => field.startsWith('list[1].'))).toBe(true);
  await eventually(async () => {
    const rows = [await storedRows(answer, 'event'), await storedRows(answer, 'event', 'refused_messages')];
    expect(rows.map((rowsOfAnswer) => rowsOfAnswer.length)).toEqual([2, 1]);
  });
});

it('checks traits against the plan', async () => {
  const wrong = { userId: 'u', traits: { plan: 'gold' } };
  expect((await send('refuse', 'identify', wrong)).body).toEqual([
    { field: 'traits.plan', message: 'is not one of the values of the plan' },
  ]);
  const answer = await send('observe', 'identify', wrong);
  await eventually(async () => {
    const rows = await storedRows(answer, 'plan_version, violations', 'identifies');
    expect(rows).toEqual([{ plan_version: 3, violations: ['not_in_enum:plan'] }]);
  });
});

it('?validate=only names violations and stores nothing', async () => {
  const observed = await validated('observe', { list: [good, bad] }, 'trackBatch');
  expect(observed.status).toBe(200);
  const fields = (observed.body as { violations: { field: string }[] }).violations.map(({ field }) => field);
  expect(sorted(fields)).toEqual(
    ['colour', 'items[].price', 'items[].size', 'order_id', 'total'].map((path) => `list[1].properties.${path}`),
  );
  const refused = await validated('refuse', bad);
  expect(refused.status).toBe(400);
  expect((await validated('refuse', good)).body).toEqual({ status: 'QUEUED' });
  expect(await storedRows(refused, 'event', 'refused_messages')).toEqual([]);
});

it('a replay under a later plan stores the message once, with its id, request and times', async () => {
  const source = sourceInMode('refuse');
  const message = { ...good, properties: { ...good.properties, coupon: 'SAVE' } };
  const answer = await send('refuse', 'track', message, { prefer: 'sent-at=1769860802000' });
  expect(answer.status).toBe(400);
  const facts = 'toString(message_id) AS id, toString(request_id) AS request, received_at, timestamp';
  const [row] = await eventually(async () => {
    const rows = await storedRows(answer, facts, 'refused_messages');
    expect(rows).toHaveLength(1);
    return rows;
  });
  const plan = shopPlan(source.sourceIdentifier, 4, { coupon: { type: 'string' } });
  await activate(kafka(), { source: source.sourceIdentifier, plan, mode: 'refuse' });
  const replay = ['refused', 'replay', '--source', source.sourceIdentifier, '--event', 'order_completed'];
  const again = await operator<{ messages: number; refusedAgain: number }>(...replay);
  expect(again.messages).toBe(1);
  expect(again.refusedAgain).toBeGreaterThan(0);
  await operator(...replay);
  await eventually(async () => {
    const rows = await storedRows(answer, `${facts}, plan_version, toString(context.sent_at) AS sent_at`);
    expect(rows).toEqual([{ ...row, plan_version: 4, sent_at: '2026-01-31T12:00:02.000Z' }]);
  });
});

it('a record that is not a plan changes nothing', async () => {
  const { sourceIdentifier } = sourceInMode('observe');
  for (const key of [sourceIdentifier, `${sourceIdentifier}:4`, 'nothing at all'])
    await writeCompacted(kafka(), plansTopic, { key, value: Buffer.from('{"versions":"all"') });
  await writeCompacted(kafka(), plansTopic, { key: sourceIdentifier, value: Buffer.from('[]') });
  await activate(kafka(), {
    source: sourceInMode('drop').sourceIdentifier,
    plan: shopPlan(sourceInMode('drop').sourceIdentifier, 5),
    mode: 'refuse',
  });
  await eventually(async () => expect((await validated('drop', misspelt)).status).toBe(400));
  expect((await validated('observe', misspelt)).body).toHaveProperty('violations');
});

it('the views count violations and coverage exactly', async () => {
  const source = await operator<SourceCredentials>('sources', 'create', '--name', 'Views', '--type', 'tracking-api');
  sources.set('refuse', source);
  const { sourceIdentifier } = source;
  const sent = (list: object[]) => post('trackBatch', { list }, { source, headers: { prefer: 'handling=lenient' } });
  await eventually(async () => expect((await sent([good])).status).toBe(200));
  const plan = shopPlan(sourceIdentifier, 7);
  await activate(kafka(), { source: sourceIdentifier, plan, mode: 'observe' });
  await eventually(async () => expect((await validated('refuse', misspelt)).body).toHaveProperty('violations'));
  const since = Date.now();
  const person = (n: number, message: object) => ({ ...message, userId: `u-${n}` });
  await sent([person(1, good), person(1, bad), person(2, bad), person(3, misspelt)]);
  await activate(kafka(), { source: sourceIdentifier, plan, mode: 'refuse' });
  await eventually(async () => expect((await validated('refuse', misspelt)).status).toBe(400));
  await sent([person(3, good), person(4, bad)]);

  const of4 = `source = '${sourceIdentifier}', from = fromUnixTimestamp64Milli(${since}), to = now() + INTERVAL 1 HOUR`;
  await eventually(async () => {
    const rows = await select(
      `SELECT event, rule, path, events, refused, people, round(share, 2) AS share FROM plan_violations(${of4})
       WHERE rule IN ('wrong_type', 'unknown_event') AND path NOT LIKE 'items%' ORDER BY event`,
    );
    expect(rows).toEqual([
      { event: 'order_complete', rule: 'unknown_event', path: '', events: 1, refused: 0, people: 1, share: 1 },
      { event: 'order_completed', rule: 'wrong_type', path: 'total', events: 2, refused: 1, people: 3, share: 0.6 },
    ]);
    const coverage = await select(
      `SELECT event, events, refused, planned_events, violating_events FROM plan_coverage(${of4}) ORDER BY event`,
    );
    expect(coverage).toEqual([
      { event: 'order_complete', events: 1, refused: 0, planned_events: 0, violating_events: 1 },
      { event: 'order_completed', events: 4, refused: 1, planned_events: 4, violating_events: 2 },
    ]);
  });
});
