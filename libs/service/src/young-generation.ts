import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Size of both halves at which growth stops. It may double once more before the observer is called. */
const largestBytes = 16 * 1024 * 1024;

const sizeOf = (name: string): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === name)?.space_size ?? 0;

/**
 * Keeps V8's young generation small. On large machines it would grow to 128 MiB under any load, which is never released
 * and exceeds the processor's caches. V8 takes a limit only on the command line, but it reads the growth factor each
 * time. The factor must be 2 again below the limit: V8 shrinks an idle young generation, which would stay tiny.
 */
export function limitYoungGeneration(): void {
  // The observer is called between turns of the event loop. The first turn loads all modules: it must not grow while they load.
  let grows = false;
  setFlagsFromString('--semi-space-growth-factor=1');
  const observer = new PerformanceObserver(() => {
    const mayGrow = sizeOf('new_space') < largestBytes;
    if (mayGrow === grows) return;
    grows = mayGrow;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  });
  observer.observe({ entryTypes: ['gc'] });
}
