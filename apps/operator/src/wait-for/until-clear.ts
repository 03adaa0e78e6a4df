import { OperationError } from '@sluice/operations';
import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = 1_000;
const reportIntervalMs = 10_000;
/** Consecutive looks that must find nothing: a process that starts during the first one answers the second. */
const minClearLooks = 2;

/**
 * Looks repeatedly until there is no more reason to wait.
 * @throws OperationError when that takes longer than `maxMs`.
 */
export async function waitUntilClear(
  look: (waitedMs: number) => Promise<string[]>,
  say: (text: string) => void,
  maxMs = Infinity,
): Promise<void> {
  const startTime = performance.now();
  let lastReportTime = -Infinity;
  for (let clearLooks = 0; clearLooks < minClearLooks;) {
    const waitedMs = performance.now() - startTime;
    const reasons = await look(waitedMs);
    clearLooks = reasons.length === 0 ? clearLooks + 1 : 0;
    if (clearLooks === minClearLooks) return;
    if (reasons.length > 0 && waitedMs > maxMs) throw new OperationError(`waited in vain: ${reasons.join('; ')}`);
    if (reasons.length > 0 && performance.now() - lastReportTime > reportIntervalMs) {
      say(`waiting: ${reasons.join('; ')}`);
      lastReportTime = performance.now();
    }
    await sleep(pauseMs);
  }
}
