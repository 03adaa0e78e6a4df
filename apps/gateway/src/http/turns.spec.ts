import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { Turns } from './turns.js';

const busyFor = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

it('does all work in the order it came, one at a time, with a rest as long as each took when there are others', async () => {
  const turns = new Turns();
  const done: number[] = [];
  const startedAt = performance.now();
  for (let i = 0; i < 5; i++)
    turns.take(() => {
      turns.others();
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

it('takes no more than it can do in two seconds', async () => {
  const turns = new Turns();
  let done = 0;
  const work = () => {
    busyFor(50);
    done += 1;
  };
  for (let i = 0; i < 8; i++) turns.take(work);
  await vi.waitFor(() => {
    expect(done).toBe(8);
  });
  let taken = 0;
  while (turns.take(() => undefined)) taken += 1;
  expect(taken).toBeGreaterThan(5);
  expect(taken).toBeLessThan(80);
  expect(turns.waitMs).toBeGreaterThan(2_000);
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
