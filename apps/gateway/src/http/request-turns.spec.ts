import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Share, RequestTurns } from './request-turns.js';

let now = 0;
beforeEach(() => {
  now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => vi.restoreAllMocks());

/** Takes `count` pieces of work of `ms` milliseconds each; each adds its share to `done` when it has run. */
function take(turns: RequestTurns, share: Share, count: number, ms: number, done: string[]): void {
  for (let i = 0; i < count; i++)
    turns.take(share, () => {
      now += ms;
      done.push(share);
    });
}

/** Counts the pieces of work done in each turn of the event loop, until `until` of them are done. */
async function perTurn(done: readonly unknown[], until: number): Promise<number[]> {
  const counts: number[] = [];
  while (done.length < until) {
    const before = done.length;
    await nextTurn();
    counts.push(done.length - before);
  }
  return counts;
}

it('does work at once for five milliseconds of a turn, and leaves the rest to the next turns', async () => {
  const done: string[] = [];
  take(new RequestTurns(), 'small', 20, 2, done);
  expect(done.length).toBe(3);
  expect(Math.max(...(await perTurn(done, 20)))).toBe(3);
});

it('does waiting work in the order of its arrival', async () => {
  const turns = new RequestTurns();
  const order: number[] = [];
  for (let i = 0; i < 30; i++)
    turns.take('large', () => {
      now += 2;
      order.push(i);
    });
  expect(Math.max(...(await perTurn(order, 30)))).toBe(3);
  expect(order).toEqual(Array.from({ length: 30 }, (_, i) => i));
});

it('small and large bodies get the same time, and requests without a key get a quarter of it', async () => {
  const turns = new RequestTurns();
  const done: string[] = [];
  take(turns, 'large', 10, 10, done);
  take(turns, 'keyless', 100, 1, done);
  take(turns, 'small', 100, 1, done);
  await perTurn(done, 210);
  const first = done.slice(0, 100);
  const times = { small: 1, large: 10, keyless: 1 };
  const msOf = (share: Share) => first.filter((one) => one === share).length * times[share];
  expect(msOf('small') / msOf('large')).toBeGreaterThan(0.7);
  expect(msOf('small') / msOf('large')).toBeLessThan(1.4);
  expect(msOf('keyless') / msOf('small')).toBeGreaterThan(0.15);
  expect(msOf('keyless') / msOf('small')).toBeLessThan(0.35);
});

it('refuses work of a share whose oldest work has waited for two seconds', async () => {
  const turns = new RequestTurns();
  expect(turns.take('large', () => undefined)).toBe(true);
  now += 2_500;
  expect(turns.take('large', () => undefined)).toBe(false);
  expect(turns.take('small', () => undefined)).toBe(true);
  await nextTurn();
  expect(turns.take('large', () => undefined)).toBe(true);
});

it('while connections arrive, half of the time is left to accept them', async () => {
  const turns = new RequestTurns();
  const done: string[] = [];
  take(turns, 'large', 1_000, 1, done);
  let idleTurns = 0;
  while (done.length < 100) {
    const before = done.length;
    turns.connected();
    now += 0.5;
    await nextTurn();
    if (done.length === before) idleTurns += 1;
  }
  expect(idleTurns * 0.5).toBeGreaterThan(80);
  expect(idleTurns * 0.5).toBeLessThan(120);
});

it('takes up work again after an idle time', async () => {
  const turns = new RequestTurns();
  const done: string[] = [];
  for (const count of [1, 2]) {
    take(turns, 'large', 1, 1, done);
    await nextTurn();
    expect(done.length).toBe(count);
  }
});

it('a share that was busy for long does not wait behind one that was idle', async () => {
  const turns = new RequestTurns();
  const done: string[] = [];
  for (let i = 0; i < 1_000; i++) {
    take(turns, 'small', 1, 1, []);
    await nextTurn();
  }
  take(turns, 'keyless', 200, 1, done);
  take(turns, 'small', 20, 1, done);
  await perTurn(done, 60);
  expect(done.slice(0, 60).filter((share) => share === 'small').length).toBe(20);
});
