import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { type ChangeDetail, type ShownChanges, type WatchMute } from '@sluice/console-api';
import { EventWatch, findMigrations } from '@sluice/operations';
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { TestConsole } from '../test-console.spec-support.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `shown_changes_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const clickhouse = createClickHouse(config);
let site: TestConsole;
let cookie = '';
let source = '';

const hourSeconds = 3_600;
const thisHour = Math.floor(Date.now() / 1_000 / hourSeconds) * hourSeconds;

beforeAll(async () => {
  await migrate(config, await findMigrations());
  site = await TestConsole.start({ CLICKHOUSE_DATABASE: config.CLICKHOUSE_DATABASE });
  const editor = await site.signIn('editor');
  const body = { name: 'Shop', type: 'web-sdk' };
  const created = await site.ask('POST', '/api/sources', { cookie: editor.cookie, body });
  source = created.json<{ source: { sourceIdentifier: string } }>().source.sourceIdentifier;
  ({ cookie } = await site.signIn('viewer'));
  const times = { began: thisHour - hourSeconds, found: thisHour };
  const stopped = { event: 'order_completed', kind: 'stopped', family: 'messages', since: 'app 4.2.1' };
  const refused = { event: '', kind: 'refused', family: 'refused', observed: 0.25, expected_high: 0.01 };
  const rows = [
    { source_id: source, ...stopped, ...times, expected_low: 310, expected_high: 420 },
    { source_id: source, ...refused, ...times },
    { source_id: 'OtherSource1', ...stopped, ...times },
  ];
  const put = (table: string, values: object[]) => clickhouse.insert({ table, values, format: 'JSONEachRow' });
  await put('event_changes', rows);
  const hours = Array.from({ length: 30 * 24 }, (_, hoursAgo) => thisHour - (hoursAgo + 1) * hourSeconds);
  const isAfter = (hour: number): boolean => hour >= times.began;
  await put(
    'event_hours',
    hours.map((hour) => ({ source_id: source, event: 'order_completed', hour, messages: isAfter(hour) ? 0 : 360 })),
  );
  await put(
    'source_hours',
    hours.map((hour) => ({ source_id: source, hour, messages: 75, refused: isAfter(hour) ? 25 : 0 })),
  );
}, 60_000);
afterAll(async () => {
  await site.stop();
  await clickhouse.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await clickhouse.close();
});

const list = async (query = ''): Promise<ShownChanges> =>
  (await site.ask('GET', `/api/watch${query}`, { cookie })).json<ShownChanges>();
const read = async (id: string): Promise<ChangeDetail> =>
  (await site.ask('GET', `/api/watch/${id}`, { cookie })).json<ChangeDetail>();

it('lists the changes of all sources, or of one', async () => {
  await eventually(async () => expect((await list()).changes).toHaveLength(3));
  const { changes, run } = await list(`?source=${source}`);
  expect(run).toBeNull();
  expect(changes.map(({ kind, sourceName, ended, mute }) => ({ kind, sourceName, ended, mute }))).toEqual([
    { kind: 'refused', sourceName: 'Shop', ended: null, mute: null },
    { kind: 'stopped', sourceName: 'Shop', ended: null, mute: null },
  ]);
});

it('shows the hours of an event with those of the weeks before', async () => {
  const { changes } = await list(`?source=${source}`);
  const { unit, hours } = await read(changes.find(({ kind }) => kind === 'stopped')?.id ?? '');
  expect(unit).toBe('messages');
  expect(hours).toHaveLength(49);
  expect(hours.at(-2)).toMatchObject({ value: 360, low: 360, high: 360 });
  expect(hours.at(-1)).toMatchObject({ value: 0, low: 360, high: 360 });
});

it('shows the hours of a share in percent', async () => {
  const { changes } = await list(`?source=${source}`);
  const { unit, hours } = await read(changes.find(({ kind }) => kind === 'refused')?.id ?? '');
  expect(unit).toBe('percent');
  expect(hours.at(-2)).toMatchObject({ value: 0, high: 1 });
  expect(hours.at(-1)).toMatchObject({ value: 25, high: 1 });
});

it('answers 404 for a change that is not known', async () =>
  expect((await site.ask('GET', '/api/watch/12', { cookie })).statusCode).toBe(404));

it('editors mute by name for a time with a reason: the action is the mute, as soon as it is stored', async () => {
  const { changes } = await list(`?source=${source}`);
  const { id = '' } = changes.find(({ kind }) => kind === 'stopped') ?? {};
  const url = `/api/watch/${id}/mute`;
  const body = { days: 30, reason: 'the old shop ends' };
  expect((await site.ask('PUT', url, { cookie, body })).statusCode).toBe(403);

  const editor = await site.signIn('editor');
  const refusal = await site.ask('PUT', url, { cookie: editor.cookie, body: { ...body, reason: ' ' } });
  expect(refusal.statusCode).toBe(400);
  const answer = await site.ask('PUT', url, { cookie: editor.cookie, body });
  expect(answer.json()).toMatchObject({ source, event: 'order_completed', reason: 'the old shop ends' });
  const { until, actor } = answer.json<WatchMute>();
  expect(Date.parse(until) - Date.now()).toBeGreaterThan(29.9 * 86_400_000);

  // Actions as tracking stores them.
  const store = (operation: string, details: object, receivedAt: Date) =>
    clickhouse.insert({
      table: 'operator_actions',
      values: [
        {
          ...{ action_id: randomUUID(), message_id: randomUUID(), outcome: 'done', face: 'console', actor },
          ...{ operation, object: source, details: JSON.stringify(details), received_at: receivedAt },
        },
      ],
      format: 'JSONEachRow',
    });
  await store('watch.mute', { event: 'order_completed', until, reason: body.reason }, new Date());
  const watch = new EventWatch(config, 'test');
  try {
    expect((await list(`?source=${source}`)).changes.map(({ kind, mute }) => [kind, mute?.reason])).toEqual([
      ['refused', undefined],
      ['stopped', 'the old shop ends'],
    ]);
    expect(Object.fromEntries(await watch.countChanges())).toEqual({ refused: 1, stopped: 1 });

    const end = await site.ask('DELETE', url, { cookie: editor.cookie });
    expect(end.json()).toMatchObject({ event: 'order_completed', reason: '' });
    const unmuted = { event: 'order_completed', until: end.json<WatchMute>().until, reason: '' };
    await store('watch.unmute', unmuted, new Date(Date.now() + 1_000));
    expect((await list(`?source=${source}`)).changes.map(({ mute }) => mute)).toEqual([null, null]);
    expect(Object.fromEntries(await watch.countChanges())).toEqual({ refused: 1, stopped: 2 });
  } finally {
    await watch.stop();
  }
});
