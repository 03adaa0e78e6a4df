import { setTimeout as sleep } from 'node:timers/promises';

const firstPauseMs = 20;
const maxPauseMs = 500;

/**
 * Repeats `check` until it returns without an error, and returns its result. After `timeoutMs` it throws the last error.
 * One default for all tests: a passing test never waits for it, and a loaded machine does not fail one.
 */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 90_000): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await sleep(pauseMs);
  }
}
