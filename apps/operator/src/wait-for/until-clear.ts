import { OperationError } from '@sluice/operations';
import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = 1_000;
const sayEveryMs = 10_000;
/** Consecutive looks that must find nothing: a process that starts during the first one answers the second. */
const clearLooks = 2;

/**
 * Looks repeatedly until there is no more reason to wait.
 * @throws OperationError when that takes longer than `maxMs`.
 */
export async function untilClear(
  look: (waitedMs: number) => Promise<string[]>,
  say: (text: string) => void,
  maxMs = Infinity,
): Promise<void> {
  const begunAt = performance.now();
  let saidAt = -Infinity;
  for (let clear = 0; clear < clearLooks;) {
    const waitedMs = performance.now() - begunAt;
    const reasons = await look(waitedMs);
    clear = reasons.length === 0 ? clear + 1 : 0;
    if (clear === clearLooks) return;
    if (reasons.length > 0 && waitedMs > maxMs) throw new OperationError(`waited in vain: ${reasons.join('; ')}`);
    if (reasons.length > 0 && performance.now() - saidAt > sayEveryMs) {
      say(`waiting: ${reasons.join('; ')}`);
      saidAt = performance.now();
    }
    await sleep(pauseMs);
  }
}
