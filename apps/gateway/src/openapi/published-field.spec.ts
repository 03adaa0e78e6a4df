import { fieldFormats } from '@sluice/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dateTimePattern } from './published-field.js';

const published = new RegExp(dateTimePattern);
const isDateTime = fieldFormats.string['date-time'];

/** Days of which only some times lie in the range, by their offset. */
const isAtBound = (text: string): boolean => /^(1969-12-31|1970-01-01|2149-06-0[67])/.test(text);

it('the published pattern of a date and time matches every valid day, and no other', () => {
  for (let year = 1968; year <= 2201; year++) {
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const [mm, dd] = [month, day].map((part) => String(part).padStart(2, '0'));
        const text = `${year}-${mm}-${dd}T12:00Z`;
        if (!isAtBound(text) && published.test(text) !== isDateTime(text)) expect.fail(text);
      }
    }
  }
});

it('the published pattern and the rule agree on every text that looks like a time', () => {
  const part = fc.constantFrom('00', '07', '23', '24', '59', '60', '6', '');
  const fraction = fc.constantFrom('', '.1', ',123456789', '.1234567890', '.');
  const offset = fc.constantFrom('', 'Z', 'z', '+03:30', '-1100', '+07', '+24:00', '+1:00', 'UTC');
  fc.assert(
    fc.property(fc.constantFrom('T', 't', ' ', '_'), part, part, part, fraction, offset, (t, h, m, s, f, o) => {
      const text = `2024-02-29${t}${h}:${m}${s === '' ? '' : `:${s}`}${f}${o}`;
      expect(published.test(text), text).toBe(isDateTime(text));
    }),
    { numRuns: 2_000 },
  );
});

it.each(['1969-12-31T23:00:00-01:00', '1970-01-01T00:00Z', '2149-06-06T23:59:59.999Z', '2149-06-07T00:59+01:00'])(
  'the published pattern matches %s, which the rule takes',
  (text) => {
    expect(isDateTime(text)).toBe(true);
    expect(published.test(text)).toBe(true);
  },
);

it('on the first and the last days, the rule takes each time that the published pattern matches', () => {
  const days = fc.constantFrom(
    '1969-12-30',
    '1969-12-31',
    '1970-01-01',
    '2149-06-05',
    '2149-06-06',
    '2149-06-07',
    '2149-06-08',
  );
  const two = (max: number) => fc.integer({ min: 0, max }).map((number) => String(number).padStart(2, '0'));
  const hour = fc.oneof(two(23), fc.constantFrom('00', '23'));
  const offset = fc.oneof(
    fc.constantFrom('', 'Z'),
    fc.tuple(fc.constantFrom('+', '-'), hour, two(59)).map(([sign, h, m]) => `${sign}${h}:${m}`),
  );
  let matched = 0;
  fc.assert(
    fc.property(days, hour, two(59), offset, (day, h, m, zone) => {
      const text = `${day}T${h}:${m}:00${zone}`;
      if (!published.test(text)) return;
      matched += 1;
      expect(isDateTime(text), text).toBe(true);
    }),
    { numRuns: 5_000 },
  );
  expect(matched).toBeGreaterThan(500);
});
