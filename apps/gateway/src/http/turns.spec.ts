import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { Turns } from './turns.js';

const busyFor = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

it('does all work in the order it came, one at a time, with a rest as long as each took', async () => {
  const turns = new Turns();
  const done: number[] = [];
  const startedAt = performance.now();
  for (let i = 0; i < 5; i++)
    turns.take(() => {
      busyFor(10);
      done.push(i);
    });
  expect(done).toEqual([]);

  // What is small gets its turn in between: it never waits for two of them.
  let most = 0;
  while (done.length < 5) {
    const before = done.length;
    await nextTurn();
    most = Math.max(most, done.length - before);
  }
  expect(most).toBe(1);
  expect(done).toEqual([0, 1, 2, 3, 4]);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(5 * 10 + 4 * 9);
});

it('goes on after it had nothing to do', async () => {
  const turns = new Turns();
  const done: string[] = [];
  for (const name of ['first', 'second']) {
    turns.take(() => done.push(name));
    await vi.waitFor(() => {
      expect(done).toContain(name);
    });
  }
});
