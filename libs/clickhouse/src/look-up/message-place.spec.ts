import { expect, it } from 'vitest';
import { readArrivedMessage, readMessageId, readMessage } from './message-place.js';

const id = '019ab0c4-7d1e-7000-8000-0123456789ab';
const aRow = (changes: object = {}): Record<string, unknown> => ({
  source_id: 'TestSource12',
  request_id: '019ab0c4-7d1e-7000-8000-00000000000f',
  received_at: '2026-11-22T05:10:00.000Z',
  message_id: id,
  user_id: 'user-17',
  anonymous_id: undefined,
  timestamp: '2026-11-20T01:02:03.004Z',
  context: { locale: 'de' },
  event: 'search',
  ...changes,
});
const bytes = (row: object): Buffer => Buffer.from(JSON.stringify(row));
/** The row with its members in another producer's order: the person comes after the time. */
const personLast = ({ user_id, anonymous_id, ...row }: Record<string, unknown>): object => ({
  ...row,
  anonymous_id,
  user_id,
});
const toMinute = (time: string): number => Date.parse(time) / 60_000;
const readPlace = (value: Buffer) => readMessage(value).place;
const readArrivalPlace = (value: Buffer) => readArrivedMessage(value).place;
const reversed = (row: object): object => Object.fromEntries(Object.entries(row).toReversed());

it('reads a row of the gateway: the minute of the time that the client sent, and the bucket of the Kafka key', () =>
  expect(readPlace(bytes(aRow()))).toEqual({
    bucket: 15,
    sourceId: 'TestSource12',
    minute: toMinute('2026-11-20T01:02Z'),
    hasOwnTime: true,
  }));

it('treats a time equal to that of the arrival as not sent by the client', () => {
  const time = '2026-11-22T05:10:00.000Z';
  expect(readPlace(bytes(aRow({ timestamp: time })))).toMatchObject({ hasOwnTime: false });
  expect(readPlace(bytes(aRow({ timestamp: '2026-11-22 05:10:00Z' })))).toMatchObject({ hasOwnTime: false });
});

it.each([
  ['a user', {}],
  ['an anonymous id', { user_id: undefined, anonymous_id: 'anonymous' }],
  ['both', { anonymous_id: 'anonymous' }],
  ['text with escapes', { user_id: 'a "quoted" \\ name' }],
  ['text that is not ASCII', { user_id: 'Jürgen-کاربر' }],
  ['a long id', { user_id: 'u'.repeat(3_000) }],
  ['nobody', { user_id: undefined }],
])('finds the same place whatever the order of the members: %s', (_, changes) => {
  const row = aRow(changes);
  expect(readPlace(bytes(row))).toBeDefined();
  expect(readPlace(bytes(reversed(row)))).toEqual(readPlace(bytes(row)));
  expect(readPlace(bytes(personLast(row)))).toEqual(readPlace(bytes(row)));
});

it('is not misled by members within free text', () => {
  const row = aRow({ user_id: '","timestamp":"2020-01-01T00:00:00.000Z","message_id":"' });
  expect(readPlace(bytes(row))?.minute).toBe(toMinute('2026-11-20T01:02Z'));
  for (const readRow of [readMessage, readArrivedMessage]) expect(readRow(bytes(row)).id).toBe(id);
  expect(readMessageId(bytes(row))).toBe(id);
});

it.each([
  ['in capitals', { message_id: id.toUpperCase() }, id],
  ['in a row without a place', { timestamp: 17 }, id],
  ['in a row with a long user id', { user_id: 'u'.repeat(3_000) }, id],
  ['invalid', { message_id: 'message-1' }, undefined],
  ['left out', { message_id: undefined }, undefined],
])('reads the same message id by every function: %s', (_, changes, expected) => {
  const row = aRow(changes);
  for (const value of [bytes(row), bytes(reversed(row))]) {
    expect(readMessageId(value)).toBe(expected);
    expect(readMessage(value).id).toBe(expected);
    expect(readArrivedMessage(value).id).toBe(expected);
  }
});

it.each([
  ['a time that is a number', { timestamp: 1_700_000_000 }],
  ['no time', { timestamp: undefined }],
  ['a time beyond what tables hold', { timestamp: '2300-01-01T00:00:00Z' }],
  ['an id that is a number', { user_id: 17 }],
])('knows no place of a row with %s', (_, changes) => expect(readPlace(bytes(aRow(changes)))).toBeUndefined());

it('knows no place of bytes that are not JSON', () => {
  expect(readPlace(Buffer.from('{"source_id":"a"'))).toBeUndefined();
  expect(readArrivalPlace(Buffer.from('{"source_id":"a"'))).toBeUndefined();
});

it('reads the source and the arrival of an ad request in any order', () => {
  const row = { ...aRow(), endpoint: 'ad', body: {} };
  const place = { sourceId: 'TestSource12', minute: toMinute('2026-11-22T05:10Z'), hasOwnTime: false };
  expect(readArrivalPlace(bytes(row))).toEqual(place);
  expect(readArrivalPlace(bytes(reversed(row)))).toEqual(place);
});
