import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Size of both halves from which it stops growing. It may double once more before the observer is told. */
const largestBytes = 16 * 1024 * 1024;

const sizeOf = (name: string): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === name)?.space_size ?? 0;

/**
 * Keeps V8's young generation small. On large machines it would grow to 128 MiB under any load: memory that is resident
 * for ever, and more than the processor's caches have. V8 takes its limit only on the command line, but reads the factor
 * by which it grows each time.
 */
export function limitYoungGeneration(): void {
  const observer = new PerformanceObserver(() => {
    if (sizeOf('new_space') < largestBytes) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}
