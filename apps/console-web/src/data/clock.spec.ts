import { afterEach, expect, it, vi } from 'vitest';
import { learnServerTime, measureSince, serverNow, thisMoment, toServerTime } from './clock';

const noon = Date.parse('2026-11-30T12:00:00Z');
const header = (time: number): string => new Date(time).toUTCString();

afterEach(() => {
  vi.useRealTimers();
  learnServerTime(header(Date.now()));
});

it('takes the time of the server where the clocks disagree, and leaves a second alone', () => {
  vi.useFakeTimers({ now: noon });
  learnServerTime(header(noon - 600_000));
  expect(serverNow()).toBe(noon - 600_000);
  expect(toServerTime(noon - 1_000)).toBe(noon - 601_000);
  for (const unknown of [null, 'yesterday']) learnServerTime(unknown);
  expect(serverNow()).toBe(noon - 600_000);
  learnServerTime(header(noon - 1_000));
  expect(serverNow()).toBe(noon);
});

it('measures a sleep by the clock of the day, and a clock that is set back by the other one', () => {
  vi.useFakeTimers({ now: noon });
  const before = thisMoment();
  vi.setSystemTime(noon + 3_600_000);
  expect(measureSince(before)).toBe(3_600_000);
  vi.setSystemTime(noon - 3_600_000);
  vi.advanceTimersByTime(12_000);
  expect(measureSince(before)).toBe(12_000);
});
