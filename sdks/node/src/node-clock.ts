import { type Clock } from '@sluice/sdk-core';

/** Milliseconds that timers can count: a longer wait would end at once. */
const longest = 2 ** 31 - 1;

/** Timers that keep no process alive. */
export const nodeClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  later: (ms, work) => {
    const timer = setTimeout(work, Math.min(ms, longest));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
