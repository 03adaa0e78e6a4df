import { randomUUID } from 'node:crypto';
import { eventually } from '@sluice/testing';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { operator, select } from '../stack.js';
import { createSegmentSource, postSegment, type SegmentSource } from './write-key.js';

let source: SegmentSource;
beforeAll(async () => {
  source = await createSegmentSource();
});

const send = (endpoint: string, body: unknown, headers: Record<string, string> = {}) =>
  postSegment(endpoint, body, { source, headers });

const nested = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
const members = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"m${index}":1`).join()}}`;

/** JSON text of an item of a user, with more members. */
const makeItem = (userId: string, more: string): string => `{"type":"track","event":"e","userId":"${userId}"${more}}`;

/** Items that are refused, each by itself, as text of a body. */
const badItems: Readonly<Record<string, (userId: string) => string | Buffer>> = {
  'properties of 40 levels': (user) => makeItem(user, `,"properties":${nested(40)}`),
  'an unknown member of 40 levels': (user) => makeItem(user, `,"more":${nested(40)}`),
  'integrations of 40 levels and no event': (user) => makeItem(user, `,"event":"","integrations":${nested(40)}`),
  'context of 5,000 levels': (user) => makeItem(user, `,"context":${nested(5_000)}`),
  '9,000 members, too large': (user) => makeItem(user, `,"properties":${members(9_000)}`),
  'a NaN': (user) => makeItem(user, ',"properties":{"a":NaN}'),
  'a comma too many': (user) => makeItem(user, ',"properties":{"a":1,}'),
  'a text that is not UTF-8': (user) => Buffer.from(makeItem(user, ',"properties":{"a":"K\xf6ln"}'), 'latin1'),
  'a half of a pair as its event': (user) => makeItem(user, ',"event":"\\ud800"'),
  'a name that is missing': (user) => makeItem(user, ',"event":null'),
  'properties that are text': (user) => makeItem(user, ',"properties":"p"'),
  'an unknown type': (user) => makeItem(user, ',"type":"delete"'),
  'an id that is an object': (user) => makeItem(user, ',"messageId":{}'),
  'a number': () => '7',
  'a text': () => '"{}"',
  'an array': () => '[[]]',
  null: () => 'null',
};

/** Items that are taken, although a member of theirs is odd. */
const oddMembers = [
  ',"messageId":null,"anonymousId":null,"context":null,"timestamp":null,"sentAt":null,"properties":null',
  ',"timestamp":"yesterday"',
  ',"timestamp":1700000000000,"originalTimestamp":"2026-03-01T10:00:00Z"',
  ',"properties":{"a":1152921504606846976,"deep":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":1}}}}}}}}}',
  '',
];

const joinBytes = (parts: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));

interface Batch {
  good: string[];
  bad: string[];
  index: number;
  padding: number;
}
const batches: fc.Arbitrary<Batch> = fc.record({
  good: fc.array(fc.constantFrom(...oddMembers), { minLength: 1, maxLength: 20 }),
  bad: fc.subarray(Object.keys(badItems), { minLength: 1 }),
  index: fc.nat(),
  padding: fc.constantFrom(0, 0, 110_000),
});

const countRows = async (table: string, column: string, ids: readonly string[]): Promise<number> => {
  const query = `SELECT uniqExact(message_id) AS n FROM ${table} WHERE source_id = {source:String} AND ${column} IN {ids:Array(String)}`;
  const [row] = await select<{ n: number }>(query, { source: source.sourceIdentifier, ids });
  return Number(row?.n);
};

it('stores all good items of random batches, whatever the bad ones are and wherever they stand', async () => {
  const users: string[] = [];
  let [good, keptCount] = [0, 0];
  await fc.assert(
    fc.asyncProperty(batches, async (batch) => {
      const userId = randomUUID();
      users.push(userId);
      const items: (string | Buffer)[] = batch.good.map((more) => makeItem(userId, more));
      const place = batch.index % (items.length + 1);
      items.splice(place, 0, ...batch.bad.map((name) => badItems[name]?.(userId) ?? ''));
      const list = items.flatMap((text, index) => (index === 0 ? [text] : [',', text]));
      const body = joinBytes(['{"batch":[', ...list, `],"pad":"${'x'.repeat(batch.padding)}"}`]);
      // A body has its own bound, which is none of an item.
      if (body.length > 524_288) return;
      const answer = await send('batch', body);
      expect(answer).toMatchObject({ status: 200, body: { success: true } });
      const { rejected = [] } = answer.body as { rejected?: { field: string }[] };
      const namedItems = new Set(rejected.map(({ field }) => field.split('.')[0]));
      expect(namedItems).toEqual(new Set(batch.bad.map((_, index) => `batch[${place + index}]`)));
      good += batch.good.length;
      keptCount += batch.bad.length;
    }),
    { numRuns: 60 },
  );
  await eventually(async () => expect(await countRows('events', 'user_id', users)).toBe(good));
  await eventually(async () => {
    const query = 'SELECT uniqExact(message_id) AS n FROM refused_messages WHERE source_id = {source:String}';
    const [row] = await select<{ n: number }>(query, { source: source.sourceIdentifier });
    expect(Number(row?.n)).toBe(keptCount);
  });
});

it('keeps a single call that is nested too deep, as a batch keeps its item', async () => {
  const userId = randomUUID();
  const text = makeItem(userId, `,"messageId":"deep","properties":${nested(40)}`);
  expect(await send('track', text)).toMatchObject({
    status: 200,
    body: { rejected: [{ field: '', message: 'is nested deeper than 32 levels' }] },
  });
  await eventually(async () => {
    const query =
      'SELECT body FROM refused_messages FINAL WHERE source_id = {source:String} AND position(body, {userId:String}) > 0';
    expect(await select(query, { source: source.sourceIdentifier, userId })).toEqual([{ body: text }]);
  });
});

describe('ids that are numbers beyond 2^53', () => {
  const [first, second] = ['1234567890123456789', '1234567890123456788'];

  it.each(['', `"pad":"${'x'.repeat(110_000)}",`])('keep all digits', async (padding) => {
    const group = randomUUID();
    const item = (id: string): string =>
      `{"type":"group","userId":${id},"anonymousId":${id},"messageId":${id},"groupId":${id},"traits":{"run":"${group}"}}`;
    const alias = `{"type":"alias","userId":"${group}","previousId":${first}}`;
    const batch = `{${padding}"batch":[${[item(first), item(second), alias].join()}]}`;
    expect((await send('batch', batch)).body).toEqual({ success: true });
    await eventually(async () => {
      const query = `SELECT user_id, anonymous_id, toString(properties.groupId) AS group_id FROM events FINAL
        WHERE source_id = {source:String} AND properties.run = {group:String} ORDER BY user_id DESC`;
      expect(await select(query, { source: source.sourceIdentifier, group })).toEqual(
        [first, second].map((id) => ({ user_id: id, anonymous_id: id, group_id: id })),
      );
      const aliases = 'SELECT anonymous_id FROM identifies FINAL WHERE user_id = {group:String}';
      expect(await select(aliases, { group })).toEqual([{ anonymous_id: first }]);
    });
  });

  it('keep all digits in a single call, and when the item is kept', async () => {
    expect((await send('track', `{"event":"e","userId":${first},"messageId":${first}}`)).body).toEqual({
      success: true,
    });
    await send('track', `{"userId":${second},"messageId":${second}}`);
    await eventually(async () => {
      const query =
        'SELECT user_id FROM refused_messages FINAL WHERE source_id = {source:String} AND user_id = {second:String}';
      expect(await select(query, { source: source.sourceIdentifier, second })).toHaveLength(1);
    });
  });
});

it('stores a good originalTimestamp in place of a bad timestamp, else the time of arrival, and says so', async () => {
  const userId = randomUUID();
  const original = '2026-03-01T10:00:00.000Z';
  const item = { type: 'track', userId, timestamp: '2021-10-16T16:00:27.029:Z' };
  const { body } = await send('batch', {
    batch: [
      { ...item, event: 'original', originalTimestamp: original },
      { ...item, event: 'arrival', originalTimestamp: 'then' },
    ],
  });
  expect(body).toEqual({
    success: true,
    dropped: [
      { field: 'batch[0].timestamp', message: 'not a date and time, originalTimestamp is stored' },
      { field: 'batch[1].timestamp', message: 'not a date and time, the time of arrival is stored' },
    ],
  });
  await eventually(async () => {
    const query = `SELECT event, timestamp = toDateTime64({original:String}, 3, 'UTC') AS is_original, timestamp = received_at AS is_arrival
      FROM events FINAL WHERE user_id = {userId:String} ORDER BY event`;
    expect(await select(query, { userId, original: original.slice(0, -1) })).toEqual([
      { event: 'arrival', is_original: 0, is_arrival: 1 },
      { event: 'original', is_original: 1, is_arrival: 0 },
    ]);
  });
});

it('stores a repeat under an Idempotency-Key once, also without messageId; another key is another message', async () => {
  const userId = randomUUID();
  const keys = [randomUUID(), randomUUID()];
  const batch = [
    { type: 'track', userId, event: 'e' },
    { type: 'track', userId, event: 'e' },
  ];
  for (const key of [keys[0], keys[0], keys[1]]) await send('batch', { batch }, { 'idempotency-key': key ?? '' });
  await eventually(async () => {
    const query = 'SELECT count() AS n, uniqExact(message_id) AS ids FROM events FINAL WHERE user_id = {userId:String}';
    expect(await select(query, { userId })).toEqual([{ n: 4, ids: 4 }]);
  });
});

it('keeps no text of an item that cannot be read, if the source has rules', async () => {
  const ruled = await createSegmentSource();
  await operator('sources', 'privacy', ruled.sourceIdentifier, '--rule', 'properties.email=drop');
  const userId = randomUUID();
  const bad = makeItem(userId, ',"properties":{"email":"ada@example.com","a":NaN}');
  await eventually(async () => {
    const probe = { batch: [{ type: 'track', userId, event: 'e', properties: { email: 'e' } }] };
    const { body } = await postSegment('batch?validate=only', probe, { source: ruled });
    expect(body).toMatchObject({ dropped: [{ field: 'batch[0].properties.email' }] });
  });
  await postSegment('batch', `{"batch":[${bad},${makeItem(userId, '')}]}`, { source: ruled });
  await eventually(async () => {
    expect(await select('SELECT event FROM events FINAL WHERE user_id = {userId:String}', { userId })).toHaveLength(1);
  });
  const query = 'SELECT body FROM refused_messages WHERE source_id = {source:String}';
  expect(await select(query, { source: ruled.sourceIdentifier })).toEqual([]);
});
