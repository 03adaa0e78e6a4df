import fc from 'fast-check';
import { type KafkaMessage, readHeaders, writeHeaders } from '@sluice/kafkajs';
import { expect, it } from 'vitest';
import { type Rejection, type StoredMessage } from '../protocol/block.js';
import { deadLetterHeader } from './dead-letter.js';
import { countBytesAlone, type LetterMessage, letterParts, wholeLetter } from './letter-messages.js';
import { LetterReader } from './letter-reader.js';

const place = { topic: 'tracking.track.v1', partition: 3 };
const aMessage = (part: Partial<StoredMessage> = {}): StoredMessage => ({
  key: Buffer.from('k'),
  value: Buffer.from('v'),
  headers: {},
  offset: '7',
  timestamp: '1700000000000',
  ...part,
});
const aRejection = (part?: Partial<StoredMessage>, reason = 'bad'): Rejection => ({ message: aMessage(part), reason });

/** A letter as read from a dead-letter topic. */
function stored({ key, value, encodedHeaders }: LetterMessage, timestamp = '1800000000000'): KafkaMessage {
  const headers = Object.create(null) as Record<string, (Buffer | null)[]>;
  for (const { name, value } of readHeaders(encodedHeaders)) (headers[name.toString()] ??= []).push(value);
  return { key, value, headers, timestamp, offset: '0', attributes: 0 } as unknown as KafkaMessage;
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const body = fc.record({
  key: fc.option(bytes(600), { nil: null }),
  value: fc.option(bytes(9_000), { nil: null }),
  headers: fc.dictionary(fc.string({ maxLength: 20 }), fc.option(bytes(900), { nil: null }), { noNullPrototype: true }),
});

it('joins the parts of a letter in any order, even from attempts that cut it differently', () =>
  fc.assert(
    fc.property(body, fc.integer({ min: 700, max: 4_000 }), fc.infiniteStream(fc.nat()), (content, size, random) => {
      const rejection = aRejection(content as Partial<StoredMessage>);
      const [first, second] = [
        [...letterParts(place, rejection, size)],
        [...letterParts(place, rejection, size + 333)],
      ];
      for (const part of first) expect(countBytesAlone(part)).toBeLessThanOrEqual(size);

      const shuffled = [...first, ...second]
        .map((part) => ({ part, at: random.next().value as number }))
        .sort((a, b) => a.at - b.at);
      const reader = new LetterReader();
      const letters = shuffled.map(({ part }) => reader.take(stored(part))).filter((letter) => letter !== undefined);
      expect(letters).toHaveLength(1);
      expect(reader.damaged).toEqual([]);
      const [expected] = [new LetterReader().take(stored(wholeLetter(place, rejection)))];
      const { key, value, encodedHeaders, id, headers } = letters[0] ?? {};
      expect([key, value, id]).toEqual([content.key, content.value, 'tracking.track.v1:3:7@1700000000000']);
      expect([encodedHeaders, headers]).toEqual([expected?.encodedHeaders, expected?.headers]);
    }),
    { numRuns: 200 },
  ));

it('reports how much of a letter is missing', () => {
  const parts = [...letterParts(place, aRejection({ value: Buffer.alloc(5_000, 'x') }, 'why'), 1_024)];
  const reader = new LetterReader();
  for (const part of parts.slice(1)) expect(reader.take(stored(part))).toBeUndefined();
  const [letter, ...otherLetters] = reader.damaged;
  expect(otherLetters).toEqual([]);
  const [missing = 0, all] = [parts[0]?.value?.length, parts.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)];
  expect(letter).toMatchObject({ reason: 'why', value: null, damage: { missingBytes: missing, allBytes: all } });

  expect(reader.take(stored(wholeLetter(place, aRejection({}, 'why'))))).toMatchObject({ reason: 'why' });
  expect(reader.damaged).toEqual([]);
});

it('reads a refused copy of a dead letter or of a part, which has the headers of two letters', () => {
  const inner = wholeLetter({ topic: 'other', partition: 1 }, aRejection({ headers: { a: '1' } }, 'first'));
  const { headers } = stored(inner);
  const [part] = letterParts(place, aRejection({ value: Buffer.from('of a part') }), 1_024);
  const copies = [{ headers, value: inner.value }, ...(part ? [{ ...stored(part), value: part.value }] : [])];
  expect(copies).toHaveLength(2);
  for (const { headers: copied = {}, value } of copies) {
    const rejection = aRejection({ headers: copied, value: value as Buffer }, 'second');
    const reader = new LetterReader();
    const letter = reader.take(stored(wholeLetter(place, rejection)));
    expect(letter).toMatchObject({ ...place, reason: 'second', value });
    expect(Object.keys(letter?.headers ?? {})).toEqual(Object.keys(copied));
    expect(reader.damaged).toEqual([]);
  }
  expect(
    String(
      new LetterReader().take(stored(wholeLetter(place, aRejection({ headers: headers ?? {} }))))?.headers[
        deadLetterHeader.topic
      ],
    ),
  ).toBe('other');
});

it.each([
  ['no range', { [deadLetterHeader.part]: 'x' }],
  ['a range beyond the end', { [deadLetterHeader.part]: '0-9/5' }],
  ['a range of another length', { [deadLetterHeader.part]: '0-2/9' }],
  ['no identity', { [deadLetterHeader.partOf]: 'x', [deadLetterHeader.part]: '0-9/9' }],
])('passes over a part with %s', (_, partHeaders) => {
  const headers = { [deadLetterHeader.partOf]: 't:0:1@2', ...partHeaders };
  const list = Object.entries(headers).map(([name, value]) => ({ name: Buffer.from(name), value: Buffer.from(value) }));
  const message = { key: null, value: Buffer.from('123456789'), encodedHeaders: writeHeaders(list), origin: 0 };
  const reader = new LetterReader();
  expect(reader.take(stored(message))).toBeUndefined();
  expect(reader.damaged).toEqual([]);
});
