import { expect, it } from 'vitest';
import { type ConsoleError } from '../http/console-error.js';
import { Tries } from './tries.js';

function statusOf(work: () => void): number {
  try {
    work();
    return 200;
  } catch (error) {
    return (error as ConsoleError).status;
  }
}

it('slows one address with one user down, and nobody else', () => {
  const tries = new Tries();
  const from = (address: string, user: string, now: number): number => statusOf(() => tries.begin(address, user, now));

  // The fifth failure is looked at, and makes the sixth wait.
  expect(Array.from({ length: 6 }, () => from('10.0.0.1', 'ann', 0))).toEqual([200, 200, 200, 200, 200, 429]);
  expect(from('10.0.0.1', 'bob', 0)).toBe(200);
  expect(from('10.0.0.2', 'ann', 0)).toBe(200);
  expect(from('10.0.0.1', 'ann', 1_000)).toBe(200);
  expect([from('10.0.0.1', 'ann', 2_999), from('10.0.0.1', 'ann', 3_000)]).toEqual([429, 200]);
});

it('lets a try pass after a minute at the longest, and forgets after a success', () => {
  const tries = new Tries();
  let now = 0;
  for (let i = 0; i < 40; i++) {
    tries.begin('10.0.0.1', 'ann', now);
    now += 60_000;
  }
  tries.succeeded('10.0.0.1', 'ann');
  expect(
    statusOf(() => {
      for (let i = 0; i < 5; i++) tries.begin('10.0.0.1', 'ann', now);
    }),
  ).toBe(200);
});

it('remembers a bounded number of pairs', () => {
  const tries = new Tries();
  for (let i = 0; i < 30_000; i++) tries.begin(`address ${i}`, 'ann', 0);
  expect((tries as unknown as { pairs: Map<string, unknown> }).pairs.size).toBeLessThanOrEqual(10_000);
});

it('keeps a pair waiting in spite of tries for thousands of invented users', () => {
  const tries = new Tries();
  for (let i = 0; i < 5; i++) tries.begin('10.0.0.1', 'ann', 0);
  for (let i = 0; i < 30_000; i++) tries.begin('10.0.0.1', `invented ${i}`, 0);
  expect(statusOf(() => tries.begin('10.0.0.1', 'ann', 500))).toBe(429);
});
