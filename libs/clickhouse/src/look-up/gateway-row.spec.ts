import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GatewayRow } from './gateway-row.js';
import { readArrivedMessage, readMessageId, readMessage, parseMessage } from './message-place.js';

const text = fc.oneof(
  fc.constantFrom('', 'user-17', 'Jürgen-کاربر-🙂', 'a "quoted" \\ name', 'tab\t', '","timestamp":"', 'u'.repeat(255)),
  fc.string({ unit: 'binary', maxLength: 300 }),
);
const time = fc.oneof(
  fc
    .date({ min: new Date('1969-12-31'), max: new Date('2200-01-02'), noInvalidDate: true })
    .map((time) => time.toISOString()),
  fc.constantFrom(
    '2026-11-22T05:10:00.000Z',
    '2026-11-22T05:10:00Z',
    '2026-11-22T05:10:60.000Z',
    '2026-11-22T24:10:00.000Z',
    '2026-02-29T05:10:00.000Z',
    '2028-02-29T05:10:00.000Z',
    '2026-13-01T05:10:00.000Z',
    '2026-11-22 05:10:00.000Z',
  ),
);
const uuid = fc.oneof(
  { weight: 4, arbitrary: fc.uuid() },
  fc.uuid().map((id) => id.toUpperCase()),
  text,
);
const row = fc.record({
  source_id: fc.oneof(fc.constantFrom('TestSource12', 'Quelle-ß'), text),
  request_id: uuid,
  received_at: time,
  message_id: uuid,
  user_id: fc.option(text, { nil: undefined }),
  anonymous_id: fc.option(text, { nil: undefined }),
  timestamp: time,
  properties: fc.constantFrom({}, { user_id: 'other' }, { timestamp: '2020-01-01T00:00:00.000Z', message_id: 'x' }),
});

/** One object in several encodings: the gateway's, and those of other producers. */
const writtenRow = fc.tuple(row, fc.nat(5), fc.nat(), fc.nat(255)).map(([members, way, n, byte]) => {
  const json = JSON.stringify(members);
  const entries = Object.entries(members);
  switch (way) {
    case 0:
      return Buffer.from(JSON.stringify(members, undefined, 1 + (n % 2)));
    case 1:
      return Buffer.from(JSON.stringify(Object.fromEntries([...entries.slice(n % 8), ...entries.slice(0, n % 8)])));
    case 2:
      return Buffer.from(json.replace('"user_id":', ['"user_id" :', '"user_id":\n', '"user\\u005fid":'][n % 3] ?? ''));
    case 3: {
      const bytes = Buffer.from(json);
      bytes[n % bytes.length] = byte;
      return bytes;
    }
    default:
      return Buffer.from(json);
  }
});

const isJson = (value: Buffer): boolean => {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value));
    return true;
  } catch {
    return false;
  }
};

it('reads the same as the parser, or undefined', () => {
  const rows = new GatewayRow();
  fc.assert(
    fc.property(writtenRow, (value) => {
      const read = rows.readTracked(value);
      if (read && isJson(value)) expect(read).toEqual(parseMessage(value));
    }),
    { numRuns: 5_000 },
  );
});

it('reads an ad request the same as one with its members in another order, or undefined', () => {
  const rows = new GatewayRow();
  fc.assert(
    fc.property(writtenRow, (value) => {
      const read = rows.readArrived(value);
      if (!read || !isJson(value)) return;
      const members = Object.entries(JSON.parse(value.toString()) as object);
      const reversed = Buffer.from(JSON.stringify(Object.fromEntries(members.toReversed())));
      expect(rows.readArrived(reversed)).toBeUndefined();
      expect(read).toEqual({ ...readArrivedMessage(reversed), id: readMessageId(value) });
    }),
    { numRuns: 2_000 },
  );
});

const id = '019ab0c4-7d1e-7000-8000-0123456789ab';
const common = {
  source_id: 'TestSource12',
  request_id: '019ab0c4-7d1e-7000-8000-00000000000f',
  received_at: '2026-11-22T05:10:00.000Z',
  message_id: id,
};
const ofPerson = (person: object): Buffer =>
  Buffer.from(JSON.stringify({ ...common, ...person, timestamp: '2026-11-20T01:02:03.004Z', event: 'search' }));

it.each([
  ['a user', { user_id: 'user-17' }],
  ['an anonymous id', { anonymous_id: 'anonymous' }],
  ['both', { user_id: 'user-17', anonymous_id: 'anonymous' }],
  ['text that is not ASCII', { user_id: 'Jürgen-کاربر-🙂' }],
])('reads rows that the gateway writes: %s', (_, person) => {
  const rows = new GatewayRow();
  expect(rows.readTracked(ofPerson(person))).toEqual(parseMessage(ofPerson(person)));
  expect(rows.readArrived(ofPerson(person))?.id).toBe(id);
});

it('reads rows of several sources in turn', () => {
  const rows = new GatewayRow();
  const sources = ['A', 'AB', 'B', 'A'];
  const values = sources.map((source_id) => ofPerson({ user_id: 'user-17', source_id }));
  expect(values.map((value) => rows.readTracked(value))).toEqual(values.map(parseMessage));
});

it.each(['"user_id" :', '"user\\u005fid":'])('leaves a row that names its user late, as %s, to the parser', (name) => {
  const value = Buffer.from(
    ofPerson({ anonymous_id: 'anonymous' }).toString().replace('"event":', `${name}"user-17","event":`),
  );
  expect(new GatewayRow().readTracked(value)).toBeUndefined();
  expect(readMessage(value).place?.bucket).toBe(readMessage(ofPerson({ user_id: 'user-17' })).place?.bucket);
});
