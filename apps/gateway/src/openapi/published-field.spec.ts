import { formats } from '@sluice/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dateTimePattern } from './published-field.js';

const published = new RegExp(dateTimePattern);
const isDateTime = formats.string['date-time'];

it('the published pattern of a date and time matches every valid day, and no other', () => {
  for (let year = 1968; year <= 2201; year++) {
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const [mm, dd] = [month, day].map((part) => String(part).padStart(2, '0'));
        const text = `${year}-${mm}-${dd}T12:00Z`;
        if (published.test(text) !== isDateTime(text)) expect.fail(text);
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
