import { type Clock } from '@sluice/sdk-core';

declare const performance: { now?: () => number } | undefined;
declare const setTimeout: (work: () => void, ms: number) => unknown;
declare const clearTimeout: (timer: unknown) => void;

/** React Native warns of longer timers on Android. */
const longest = 59_000;

/** Largest time that was seen, without `performance`: the user can set the clock back. */
let last = 0;

export const engineClock: Clock = {
  now: () => Date.now(),
  monotonic() {
    if (typeof performance === 'object' && performance.now) return performance.now();
    return (last = Math.max(last, Date.now()));
  },
  later(ms, work) {
    let leftMs = ms;
    let timer: unknown;
    const next = (): void => {
      const part = Math.min(leftMs, longest);
      leftMs -= part;
      timer = setTimeout(leftMs > 0 ? next : work, part);
    };
    next();
    return () => clearTimeout(timer);
  },
};
