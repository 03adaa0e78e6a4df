import { SegmentEvent, SegmentIdentify } from '@sluice/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageReader } from '../message-reader.js';
import { Report } from '../report.js';
import { batchDefaults } from './segment-defaults.js';
import { readSegmentItem, segmentMessageId } from './segment-item.js';
import { segmentTypes } from './segment-type.js';

const readers = { events: new MessageReader(SegmentEvent), identifies: new MessageReader<object>(SegmentIdentify) };

/** The message that is stored for an item, without members that are undefined. */
function stored(item: unknown, defaults = {}): unknown {
  const report = new Report();
  const read = readSegmentItem(item, '', defaults);
  if (!('table' in read)) return read;
  const message = readers[read.table].read(read.message, '', report);
  expect(report.problems).toEqual([]);
  expect(report.dropped).toEqual([]);
  return { table: read.table, ...(JSON.parse(JSON.stringify(message)) as object) };
}

const common = {
  messageId: 'ajs-next-1700000000000-52f8',
  userId: 'u-1',
  anonymousId: 'a-1',
  timestamp: '2026-11-25T10:00:00.000Z',
  sentAt: '2026-11-25T10:00:05.000Z',
  context: { library: { name: 'analytics-node' } },
  integrations: { All: true },
  _metadata: { nodeVersion: '20' },
  channel: 'server',
  writeKey: 'key',
};
const person = { userId: 'u-1', anonymousId: 'a-1', timestamp: common.timestamp };
const context = { library: { name: 'analytics-node' }, sent_at: common.sentAt };

describe('an item becomes a message', () => {
  it.each([
    [
      { ...common, type: 'track', event: 'Order Completed', properties: { 'Order ID': 7 } },
      { table: 'events', ...person, context, event: 'Order Completed', properties: { 'Order ID': 7 } },
    ],
    [
      { ...common, type: 'page', name: 'Home', category: 'Docs', properties: { url: 'https://a.test/' } },
      {
        ...{ table: 'events', ...person, context, event: 'page' },
        properties: { url: 'https://a.test/', name: 'Home', category: 'Docs' },
      },
    ],
    [
      { ...common, type: 'screen', name: 'Cart' },
      { table: 'events', ...person, context, event: 'screen', properties: { name: 'Cart' } },
    ],
    [
      { ...common, type: 'group', groupId: 'g-1', traits: { plan: 'pro' } },
      { table: 'events', ...person, context, event: 'group', properties: { plan: 'pro', groupId: 'g-1' } },
    ],
    [
      { ...common, type: 'identify', traits: { email: 'ada@example.com' } },
      { table: 'identifies', ...person, context, traits: { email: 'ada@example.com' } },
    ],
    [
      { ...common, anonymousId: undefined, type: 'alias', previousId: 'a-0' },
      { table: 'identifies', ...person, anonymousId: 'a-0', context },
    ],
  ])('%j', (item, message) => expect(stored(item)).toEqual(message));

  it('takes the call from the path, and ids that are numbers as text', () =>
    expect(stored({ userId: 42, event: 'a b' }, { type: 'track' })).toEqual({
      ...{ table: 'events', userId: '42', event: 'a b' },
    }));

  it("adds the batch's context and sentAt, and prefers the item's own", () =>
    expect(
      stored(
        { type: 'track', userId: 'u', event: 'e', context: { app: 'own' } },
        batchDefaults({ context: { app: 'batch', locale: 'de' }, sentAt: common.sentAt }, new Report()),
      ),
    ).toMatchObject({ context: { app: 'own', locale: 'de', sent_at: common.sentAt } }));

  it("shares the batch's context, shaped once, among items without one of their own", () => {
    const report = new Report();
    const defaults = batchDefaults(
      { context: { app: 'a', ['x'.repeat(5_000)]: 1, long: 'y'.repeat(5_000) }, sentAt: { not: 'text' } },
      report,
    );
    expect(report.dropped.map(({ field }) => field.slice(0, 12))).toEqual(['sentAt', 'context.xxxx', 'context.long']);
    const items = [{}, { context: null }].map((item) =>
      readSegmentItem({ type: 'track', event: 'e', ...item }, '', defaults),
    );
    for (const item of items) expect('table' in item && item.message['context']).toBe(defaults.context);
    expect({ ...defaults.context }).toEqual({ app: 'a' });
  });

  it('prefers timestamp to originalTimestamp, and corrects no clock', () => {
    const item = { type: 'track', userId: 'u', event: 'e', originalTimestamp: '2020-01-01T00:00:00.123456789Z' };
    expect(stored(item)).toMatchObject({ timestamp: item.originalTimestamp });
    expect(stored({ ...item, timestamp: common.timestamp })).toMatchObject({ timestamp: common.timestamp });
  });

  it('takes the traits of identify from its context, where clients of RudderStack have them', () => {
    const context = { traits: { plan: 'pro' } };
    expect(stored({ type: 'identify', userId: 'u', context })).toMatchObject({ traits: { plan: 'pro' } });
    expect(stored({ type: 'identify', userId: 'u', context, traits: { plan: 'own' } })).toMatchObject({
      traits: { plan: 'own' },
    });
  });

  it('an empty id counts as none: analytics-python sends one', () =>
    expect(stored({ type: 'track', userId: 'u', anonymousId: '', event: 'e' })).toEqual({
      ...{ table: 'events', userId: 'u', event: 'e' },
    }));
});

it.each([
  [7, '', 'must be an object'],
  [{ type: 'delete' }, 'type', 'must be one of track, page, screen, group, identify, alias'],
  [{ userId: 'u' }, 'type', 'must be one of track, page, screen, group, identify, alias'],
  [{ type: 'toString' }, 'type', 'must be one of track, page, screen, group, identify, alias'],
  [{ type: 'track', messageId: {} }, 'messageId', 'must be text of at most 256 characters'],
  [{ type: 'track', messageId: 'x'.repeat(257) }, 'messageId', 'must be text of at most 256 characters'],
])('%j is refused: %s %s', (item, field, message) => expect(readSegmentItem(item, '', {})).toEqual({ field, message }));

it('a refused item keeps its id, so that all its tries are kept as one message', () =>
  expect(readSegmentItem({ type: 'delete', messageId: 7 }, '', {})).toMatchObject({ field: 'type', messageId: '7' }));

it.each([
  [{ type: 'track', userId: 'u' }, 'event'],
  [{ type: 'track', event: 'e' }, 'userId'],
  [{ type: 'track', userId: 'u', event: 'e', properties: 'p' }, 'properties'],
  [{ type: 'page', userId: 'u', name: 'n', properties: [1] }, 'properties'],
  [{ type: 'group', userId: 'u', groupId: 'g', traits: 1 }, 'properties'],
  [{ type: 'track', userId: 'u', event: 'e', context: 'c' }, 'context'],
  [{ type: 'track', userId: {}, event: 'e' }, 'userId'],
  [{ type: 'track', userId: 'u', event: 'e', timestamp: 'yesterday' }, 'timestamp'],
])('%j is refused for %s', (item, field) => {
  const read = readSegmentItem(item, '', {});
  if (!('table' in read)) throw new Error('not read');
  const report = new Report();
  expect(readers[read.table].read(read.message, '', report)).toBeUndefined();
  expect(report.problems.map((problem) => problem.field)).toContain(field);
});

it('never throws, whatever is sent', () =>
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...segmentTypes), (value, type) => {
      const read = readSegmentItem(value, '', { type });
      if ('table' in read) readers[read.table].read(read.message, '', new Report());
    }),
  ));

it('the id of a message depends on its source and id alone, and is a UUID of version 8', () => {
  const id = segmentMessageId('AbCdEf123456', 'm-1');
  // Stored ids were made like this: another form would store a retry that spans an upgrade twice.
  expect(id).toBe('3138051c-3a73-8b51-9047-fa85a6885f36');
  expect(segmentMessageId('AbCdEf123456', 'm-2')).not.toBe(id);
  expect(segmentMessageId('AbCdEf123457', 'm-1')).not.toBe(id);
  expect(segmentMessageId('AbCdEf123456', '\ud800')).not.toBe(segmentMessageId('AbCdEf123456', '\ud801'));
});
