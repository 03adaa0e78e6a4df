import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TimeTexts } from './time-texts.js';

/** The text in a member. */
const format = (times: TimeTexts, ms: string | number): string =>
  (JSON.parse(`{"":0${times.member(String(ms))}}`) as { kafka_timestamp: string }).kafka_timestamp;
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

it('writes any times in any order as Date does', () => {
  const anyMs = fc.oneof(
    fc.integer({ min: -1_000_000, max: 1_000_000 }),
    fc.integer({ min: 1_700_000_000_000, max: 1_700_000_003_000 }),
    fc.integer({ min: -lastMs, max: lastMs }),
  );
  fc.assert(
    fc.property(fc.array(anyMs), (all) => {
      const times = new TimeTexts();
      expect(all.map((ms) => format(times, ms))).toEqual(all.map((ms) => new Date(ms).toISOString()));
    }),
  );
});

it.each(['9223372036854775807', '-9223372036854775808'])('leaves the time %s, which has no text, as it is', (ms) => {
  expect(format(new TimeTexts(), ms)).toBe(ms);
});
