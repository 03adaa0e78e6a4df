import { expect, it } from 'vitest';
import { isLenient, timeOfSending } from './prefer.js';

const ignored = { ignored: { field: 'Prefer', message: 'sent-at must be a whole number of milliseconds since 1970' } };

it.each([
  [undefined, {}],
  ['handling=lenient', {}],
  ['handling=lenient, sent-at=1769860802000', { sentAt: '2026-01-31T12:00:02.000Z' }],
  ['Sent-At = "1769860802000"; x=1', { sentAt: '2026-01-31T12:00:02.000Z' }],
  ['sent-at=0', { sentAt: '1970-01-01T00:00:00.000Z' }],
  ['sent-at=1, sent-at=2', { sentAt: '1970-01-01T00:00:00.001Z' }],
  [['handling=lenient', 'sent-at=1'], { sentAt: '1970-01-01T00:00:00.001Z' }],
  ['sent-at=5662310399999', { sentAt: '2149-06-06T23:59:59.999Z' }],
  ['sent-at=5662310400000', {}],
  ['sent-at=-1', {}],
  ['sent-at=1.5', ignored],
  ['sent-at=1e3', ignored],
  ['sent-at', ignored],
  ['sent-at=2026-01-31T12:00:02.000Z', ignored],
  [`sent-at=${'9'.repeat(400)}`, ignored],
])('Prefer: %s', (prefer, time) => {
  expect(timeOfSending(prefer)).toEqual(time);
});

it('the time of sending changes nothing of how a batch is handled', () => {
  expect(isLenient('handling=lenient, sent-at=1769860802000')).toBe(true);
  expect(isLenient('sent-at=1769860802000, handling=lenient')).toBe(true);
  expect(isLenient('sent-at=1769860802000')).toBe(false);
});
