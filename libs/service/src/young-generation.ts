import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Largest half that may still double, to 16 MiB. Not 8: what a half can hold is only about a power of two. */
const largestToDouble = 8.8 * 1024 * 1024;

/** Bytes that one half of the young generation can hold. `space_size` can be outdated after V8 has shrunk it. */
function halfBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return space ? space.space_used_size + space.space_available_size : 0;
}

/**
 * Keeps V8's young generation at 32 MiB, both halves together. On large machines load would grow it to 128 MiB and keep
 * it there. V8 takes a limit only on the command line, but it reads the growth factor each time. Below the limit the
 * factor must be 2 again: otherwise a young generation that V8 has shrunk while idle would stay tiny.
 *
 * Also keeps V8 from allocating objects in the old generation: it does so at places whose objects survived a collection
 * of the largest young generation. Objects there keep what they refer to until the next full collection: in a
 * gateway, the parsed body of each request.
 */
export function limitYoungGeneration(): void {
  // No growth in the first turn of the event loop, which loads all modules: the observer is called only between turns.
  let grows = false;
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--no-allocation-site-pretenuring');
  const observer = new PerformanceObserver(() => {
    const mayGrow = halfBytes() <= largestToDouble;
    if (mayGrow === grows) return;
    grows = mayGrow;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  });
  observer.observe({ entryTypes: ['gc'] });
}
