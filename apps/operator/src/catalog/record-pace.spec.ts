import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeRecordPace } from './record-pace.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

it('lets the first records pass at once, and each other batch when those before it have had their time', async () => {
  const waitForTurn = makeRecordPace(1_000);
  const times: number[] = [];
  const start = performance.now();
  const sending = (async () => {
    for (const records of [100, 50, 100, 1]) {
      await waitForTurn(records);
      times.push(Math.round(performance.now() - start));
    }
  })();
  await vi.runAllTimersAsync();
  await sending;
  expect(times).toEqual([0, 100, 150, 250]);
});

it('does not catch up on a time in which nothing was sent', async () => {
  const waitForTurn = makeRecordPace(100);
  expect(waitForTurn(100)).toBeUndefined();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(waitForTurn(100)).toBeUndefined();
  const isDone = vi.fn();
  void waitForTurn(100)?.then(isDone);
  await vi.advanceTimersByTimeAsync(999);
  expect(isDone).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(isDone).toHaveBeenCalled();
});
