import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RepeatedLook } from './repeated-look.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('looks at once and then at its interval, but not while a look goes on, and stops when that has ended', async () => {
  const ends: (() => void)[] = [];
  const looks = new RepeatedLook(() => new Promise((end) => ends.push(end)), new Logger(), 'fails');
  looks.start(1_000);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(ends.length).toBe(1);

  ends[0]?.();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ends.length).toBe(2);

  let hasStopped = false;
  const stopping = looks.stop().then(() => (hasStopped = true));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(hasStopped).toBe(false);
  ends[1]?.();
  await stopping;
  expect(ends.length).toBe(2);
});

it('logs the first of several failures, and again after a success', async () => {
  const logger = new Logger();
  const warn = vi.spyOn(logger, 'warn').mockImplementation(() => undefined);
  let isDown = true;
  const look = () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve());
  const looks = new RepeatedLook(look, logger, 'nothing is looked at for now');
  looks.start(1_000);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(warn.mock.calls).toEqual([[{ msg: 'nothing is looked at for now', code: 'Error' }]]);

  isDown = false;
  await vi.advanceTimersByTimeAsync(1_000);
  isDown = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(warn).toHaveBeenCalledTimes(2);
  await looks.stop();
});
