import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Size of both halves at which growth stops. It may double once more before the observer is called. */
const largestBytes = 16 * 1024 * 1024;

const sizeOf = (name: string): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === name)?.space_size ?? 0;

/**
 * Keeps V8's young generation small. On large machines it would grow to 128 MiB under any load, which is never released
 * and exceeds the processor's caches. V8 takes a limit only on the command line, but it reads the growth factor each
 * time.
 */
export function limitYoungGeneration(): void {
  const observer = new PerformanceObserver(() => {
    if (sizeOf('new_space') < largestBytes) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}
