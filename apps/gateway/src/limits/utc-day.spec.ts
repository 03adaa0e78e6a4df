import { expect, it } from 'vitest';
import { UtcDay } from './utc-day.js';

const hourMs = 3_600_000;

function aClock(at: string) {
  const time = { wall: Date.parse(at), steady: 1_000 };
  const day = new UtcDay({ wall: () => time.wall, steady: () => time.steady });
  const pass = (hours: number): void => {
    time.wall += hours * hourMs;
    time.steady += hours * hourMs;
  };
  const jump = (hours: number): void => {
    time.wall += hours * hourMs;
  };
  return { day, pass, jump };
}

it('ends at midnight in UTC', () => {
  const { day, pass } = aClock('2026-01-31T22:00:00Z');
  expect([day.name, day.remainingMs]).toEqual(['2026-01-31', 2 * hourMs]);
  pass(2);
  expect([day.name, day.remainingMs]).toEqual(['2026-02-01', 24 * hourMs]);
  pass(49);
  expect([day.name, day.remainingMs]).toEqual(['2026-02-03', 23 * hourMs]);
});

it.each([-1, 1])('setting the wall clock by %i h changes neither the day nor its remaining time', (hours) => {
  const { day, pass, jump } = aClock('2026-01-31T23:30:00Z');
  jump(hours);
  expect([day.name, day.remainingMs]).toEqual(['2026-01-31', hourMs / 2]);
  pass(0.5);
  expect(day.name).toBe('2026-02-01');
});
