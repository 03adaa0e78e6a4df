import { BatchEnvelope, IdentifyMessage, TrackMessage } from '@sluice/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema } from './compile-schema.js';
import { explain, unknownField } from './explain.js';
import { MessageReader } from './message-reader.js';
import { Report } from './report.js';
import { type MessageType, buildMessageSchema } from './schema.js';

type Body = Record<string, unknown>;

/** Values that keep the rule of each field of a message, and values that break it. */
type Fields = Record<string, { good: fc.Arbitrary<unknown>; bad: fc.Arbitrary<unknown> }>;

const otherThan = (...types: string[]): fc.Arbitrary<unknown> =>
  fc.jsonValue().filter((value) => value !== null && !types.includes(Array.isArray(value) ? 'array' : typeof value));
const optional = (good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.option(good, { nil: null });

const personId = {
  good: fc.stringMatching(/^[A-Za-z0-9_\-.@:+|=~]{1,64}$/),
  bad: fc.oneof(otherThan('string'), fc.constantFrom('', ' ', 'a b', 'a\n', 'é', 'u'.repeat(65), '\ud800', 'a/b')),
};
const freeForm = (bad = otherThan('object')) => ({
  good: optional(fc.object({ key: fc.constantFrom('a', 'b') })),
  bad,
});
const timestamp = {
  good: optional(fc.constantFrom('2024-02-29T10:20:30Z', '1970-01-01 03:00+03', '2149-06-06T12:59:59.999999-1100')),
  bad: fc.oneof(
    otherThan('string'),
    fc.constantFrom('', '2024-02-30T00:00:00Z', '2024-02-01', '1969-12-31T00:00Z', 'now'),
  ),
};
const person = { userId: personId, anonymousId: personId, context: freeForm(), timestamp };

/** A new type of message needs one entry here. */
const messages: [MessageType, Fields][] = [
  [
    TrackMessage,
    {
      ...person,
      event: {
        good: fc.stringMatching(/^[a-zA-Z0-9_\-.]{1,64}$/),
        bad: fc.oneof(
          otherThan('string'),
          fc.constantFrom(null, undefined, '', 'two words', 'e'.repeat(65), 'ü', 'e\n'),
        ),
      },
      properties: freeForm(),
    },
  ],
  [IdentifyMessage, { ...person, traits: freeForm() }],
  [
    BatchEnvelope,
    {
      list: {
        good: fc.array(fc.jsonValue(), { minLength: 1, maxLength: 100 }),
        bad: fc.oneof(otherThan('array'), fc.constantFrom(null, undefined, [], Array(101).fill({}))),
      },
    },
  ],
];

const goodBody = (fields: Fields): fc.Arbitrary<Body> =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([name, { good }]) => [name, good])));

describe.each(messages)('%o', (type, fields) => {
  const accepts = compileSchema(buildMessageSchema(type));
  const reader = new MessageReader(type);
  const explained = (body: unknown): string[] => {
    const report = new Report();
    explain(type, buildMessageSchema(type).properties, body, '', report);
    return report.problems.filter(({ message }) => !message.startsWith(unknownField)).map(({ field }) => field);
  };
  const read = (body: unknown): string[] => {
    const report = new Report();
    reader.read(body, '', report);
    return report.problems.map(({ field }) => field);
  };
  const valueOf = ({ good, bad }: Fields[string]): fc.Arbitrary<unknown> =>
    fc.oneof(good, bad, fc.constantFrom(null, undefined));
  const anyBody = fc.record(Object.fromEntries(Object.entries(fields).map(([name, rule]) => [name, valueOf(rule)])));
  const hostile = fc.oneof(
    anyBody,
    fc.jsonValue(),
    fc
      .tuple(anyBody, fc.constantFrom('__proto__', 'constructor', 'toString', 'length'), fc.jsonValue())
      .map(([body, name, value]) => Object.fromEntries([...Object.entries(body), [name, value]])),
    // JSON.parse makes `__proto__` an own member.
    anyBody.map((body) => JSON.parse(`{"__proto__":${JSON.stringify(body)}}`) as unknown),
  );

  it('the compiled validator and the explanation both accept a valid body', () =>
    fc.assert(
      fc.property(goodBody(fields), (body) => {
        expect([accepts(body), explained(body)]).toEqual([true, []]);
      }),
    ));

  it('the compiled validator and the explanation give the same verdict', () =>
    fc.assert(
      fc.property(hostile, (body) => {
        expect(explained(body).length === 0).toBe(accepts(body));
      }),
      { numRuns: 1_000 },
    ));

  it.each(Object.keys(fields))('names only %s when it alone breaks its rule', (name) => {
    const bad = fields[name]?.bad ?? fc.constant(undefined);
    fc.assert(
      fc.property(goodBody(fields), bad, (body, value) => {
        expect(read({ ...body, [name]: value })).toEqual([name]);
      }),
    );
  });
});

it('a message needs a person: userId or anonymousId', () => {
  const reader = new MessageReader(IdentifyMessage);
  const cases: [Body, string[]][] = [
    [{}, ['userId']],
    [{ userId: null, anonymousId: null }, ['userId']],
    [{ userId: 'u' }, []],
    [{ anonymousId: 'a' }, []],
    [{ userId: null, anonymousId: 'a' }, []],
    [{ anonymousId: '' }, ['anonymousId']],
    [{ userId: '', anonymousId: 'a' }, ['userId']],
  ];
  for (const [body, fields] of cases) {
    const report = new Report();
    reader.read(body, '', report);
    expect(
      report.problems.map(({ field }) => field),
      JSON.stringify(body),
    ).toEqual(fields);
  }
});

it('returns the sent object itself when all of it is stored, and never changes it', () => {
  const reader = new MessageReader(TrackMessage);
  const clean = { event: 'e', userId: 'u', properties: { a: 1 } };
  expect(reader.read(clean, '', new Report())).toBe(clean);

  const text =
    '{"event":"e","userId":"u","anonymousId":null,"__proto__":{"event":"x"},"other":1,"properties":{"a":"\\ud800"}}';
  const sent = JSON.parse(text) as Body;
  const report = new Report();
  const message = reader.read(sent, '', report);
  expect(Object.entries(message ?? {})).toEqual(Object.entries({ event: 'e', userId: 'u', properties: {} }));
  expect(report.dropped.map(({ field }) => field)).toEqual(['__proto__', 'other', 'properties.a']);
  expect(JSON.stringify(sent)).toBe(text);
});

it('names all problems of a message at once: its fields and the names in its objects', () => {
  const reader = new MessageReader(TrackMessage);
  const report = new Report();
  const properties = { 'a b': 1, nested: { 'c d': 2, fine: 3 }, list: [{ 'e f': 4 }] };
  reader.read({ event: 'two words', properties, context: { 'free name': 1 } }, 'list[3]', report);
  expect(report.problems.map(({ field }) => field)).toEqual([
    'list[3].event',
    'list[3].userId',
    'list[3].properties.a b',
    'list[3].properties.nested.c d',
    'list[3].properties.list[0].e f',
  ]);
});
