import { expect, it } from 'vitest';
import { findFirstHour } from './first-hour';

const atHour = (hour: number): string => new Date(Date.UTC(2026, 10, 23, hour)).toISOString();
const buildHours = (values: readonly (number | null)[], low: number | null = 100, high: number | null = 120) =>
  values.map((value, hour) => ({ hour: atHour(hour), value, low, high }));

it.each([
  ['stopped', [110, 8, 0, 0], 100, 1],
  ['stopped', [110, 40, 0, 0], 100, 2],
  ['stopped', [0, 0, 0, 0], 0, 3],
  ['fell', [110, 90, 40, 45], 100, 1],
  ['vanished', [99, 99, null, 2], 70, 3],
  ['refused', [1, 1, 30, 40], 0, 2],
] as const)(
  'an event that %s in the hours %j began to in the first of them that shows it',
  (kind, values, low, first) =>
    expect(findFirstHour(kind, atHour(3), buildHours(values, low, low + 20))).toBe(atHour(first)),
);

it('keeps the time that is known where the hours lack it', () =>
  expect(findFirstHour('stopped', atHour(9), buildHours([0, 0]))).toBe(atHour(9)));
