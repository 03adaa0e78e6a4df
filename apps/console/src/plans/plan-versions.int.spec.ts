import { randomUUID } from 'node:crypto';
import {
  type AuditEntry,
  type PlanComparison,
  type PlanImport,
  type PlannedProperties,
  type PlanView,
  type SourcePlans,
} from '@sluice/console-api';
import { auditTopic } from '@sluice/contracts';
import { CompactedTopicFollower, createKafka } from '@sluice/kafka';
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { TestConsole } from '../test-console.spec-support.js';

const kafka = createKafka({ KAFKA_BROKERS: inject('kafkaBrokers') }, 'test');
let site: TestConsole;
let [id, other, editor, viewer] = ['', '', '', ''];

const createSource = async (): Promise<string> => {
  const body = { name: `shop-${randomUUID()}`, type: 'tracking-api' };
  const made = await site.ask('POST', '/api/sources', { cookie: editor, body });
  return made.json<{ source: { sourceIdentifier: string } }>().source.sourceIdentifier;
};

beforeAll(async () => {
  site = await TestConsole.start();
  ({ cookie: editor } = await site.signIn('editor'));
  ({ cookie: viewer } = await site.signIn('viewer'));
  [id, other] = [await createSource(), await createSource()];
}, 60_000);
afterAll(() => site.stop());

type Action = Pick<AuditEntry, 'operation' | 'object' | 'outcome'>;

async function recordedActions(): Promise<Action[]> {
  const actions: Action[] = [];
  const follower = new CompactedTopicFollower(kafka, auditTopic.name, () => ({
    take: ({ value }) => void actions.push(JSON.parse(String(value)) as Action),
    caughtUp: () => undefined,
  }));
  await follower.start();
  await follower.stop();
  return actions;
}

const total = { type: 'number', minimum: 0, description: 'With tax' };
const aPlan = (version: number, change: object = {}) => ({
  version,
  sources: [id],
  events: {
    paid: {
      properties: { total, email: { enum: ['ann@shop.example'] }, items: { type: 'array', items: { type: 'string' } } },
      required: ['total'],
    },
    login: {},
  },
  ...change,
});
const send = (path: string, plan: unknown, { cookie = editor, ...more }: { cookie?: string; from?: string } = {}) => {
  const body = { text: typeof plan === 'string' ? plan : JSON.stringify(plan), ...more };
  return site.ask('POST', `/api/sources/${id}/plans${path}`, { cookie, body });
};
const get = async <Answer>(path: string, cookie = viewer): Promise<Answer> =>
  (await site.ask('GET', `/api/sources/${id}/plans${path}`, { cookie })).json<Answer>();

it('imports a plan from a file for whoever may change sources, after a look, and records it', async () => {
  expect((await send('', aPlan(1), { cookie: viewer })).statusCode).toBe(403);
  const looked = await send('/check', aPlan(1));
  expect(looked.json<PlanImport>()).toMatchObject({ version: 1, created: [id], before: null });
  expect((await get<SourcePlans>('')).plans).toEqual([]);

  expect((await send('', aPlan(1))).json<PlanImport>()).toMatchObject({ version: 1, created: [id], unchanged: [] });
  await eventually(async () => expect((await get<SourcePlans>('')).found).toBe(1));
  expect((await send('', aPlan(1))).json<PlanImport>()).toMatchObject({ created: [], unchanged: [id] });
  const actions = await recordedActions();
  expect(actions.filter(({ operation, object }) => operation === 'plans.import' && object === id)).toContainEqual(
    expect.objectContaining({ face: 'console', outcome: 'done' }),
  );
});

it('says what is wrong with a file, and takes no plan of other sources', async () => {
  const messageOf = async (plan: unknown, more = {}): Promise<string> =>
    (await send('/check', plan, more)).json<{ message: string }>().message;
  expect(await messageOf('{')).toContain('The file is not JSON');
  expect(await messageOf(aPlan(2, { events: { 'a b': {} } }))).toContain('events["a b"]');
  expect(await messageOf(aPlan(2, { sources: [other] }))).toBe(`The plan is for ${other}, not for this source.`);
  expect(await messageOf(aPlan(2, { sources: [id, 'AbCdEf123456'] }))).toBe('There is no source AbCdEf123456.');
  expect(await messageOf(aPlan(1, { events: {} }))).toContain('a version never changes');
  expect(await messageOf({}, { from: 'segment' })).toContain('does not look like a tracking plan of segment');
});

it('takes plans of other services, and plans of the largest size', async () => {
  const description = 'Bezahlt "bar"';
  const rudder = { events: [{ name: 'order_done', description, rules: { properties: { properties: {} } } }] };
  const looked = await send('/check', rudder, { from: 'rudderstack' });
  expect(looked.json<PlanImport>()).toMatchObject({ version: 2, created: [id], before: 1 });
  // Quotes take two bytes each in the body.
  const events = Object.fromEntries(
    Array.from({ length: 700 }, (_, i) => [`event_${i}`, { description: '"'.repeat(600) }]),
  );
  expect((await send('/check', aPlan(3, { events }))).json<PlanImport>().comparison).toMatchObject({ added: 700 });
});

it('shows a plan for people, page by page, and the differences of two versions', async () => {
  const changed = { paid: { properties: { total: { ...total, minimum: 1 } } }, visit: {} };
  await send('', aPlan(2, { mode: 'drop', events: changed }));
  await eventually(async () => expect((await get<SourcePlans>('')).found).toBe(2));

  const view = await get<PlanView>('/versions/1?limit=1');
  expect(view).toMatchObject({ version: 1, mode: null, found: 2, all: 2, traits: null });
  expect(view.uses).toMatchObject([{ sourceIdentifier: id, state: 'inactive', mode: null, versions: [] }]);
  expect(view.events).toEqual([
    { name: 'paid', description: '', rules: ['no other properties'], properties: 4, required: 1 },
  ]);
  expect((await get<PlanView>('/versions/1?text=TOTAL')).events.map(({ name }) => name)).toEqual(['paid']);
  expect((await get<SourcePlans>('?text=visit')).plans.map(({ version }) => version)).toEqual([2]);

  const { properties } = await get<PlannedProperties>('/versions/1/properties?event=paid');
  expect(properties[0]).toMatchObject({ path: 'total', types: ['number'], isRequired: true, rules: ['at least 0'] });
  // Values of enums are masked as clients' values are.
  expect(properties[1]?.rules[0]).toMatch(/^one of ‹/);
  expect((await get<PlanView>('/versions/9')) as unknown).toMatchObject({ code: 'not-found' });

  const comparison = await get<PlanComparison>('/comparison?before=1&after=2');
  expect(comparison).toMatchObject({ added: 1, removed: 1, changed: 1 });
  expect(comparison.settings).toEqual([{ path: 'mode', before: null, after: 'drop' }]);
  expect(comparison.events[0]?.changes[0]).toEqual({
    path: 'total',
    before: 'number, required, at least 0: With tax',
    after: 'number, optional, at least 1: With tax',
  });
  expect(comparison.events.map(({ event, kind }) => [event, kind])).toEqual([
    ['paid', 'changed'],
    ['visit', 'added'],
    ['login', 'removed'],
  ]);
  expect(JSON.stringify(comparison)).not.toContain('ann@');
});

it('gives editors the document, as an import reads it', async () => {
  const path = `/api/sources/${id}/plans/versions/1/file`;
  expect((await site.ask('GET', path, { cookie: viewer })).statusCode).toBe(403);
  expect((await site.ask('GET', path, { cookie: editor })).json()).toEqual(aPlan(1));
});
