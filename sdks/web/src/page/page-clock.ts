import { type Clock } from '@sluice/sdk-core';

/** Milliseconds that timers can count: a longer wait would end at once. */
const longest = 2 ** 31 - 1;

export const pageClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  later: (ms, work) => {
    const timer = setTimeout(work, Math.min(ms, longest));
    return () => clearTimeout(timer);
  },
};
