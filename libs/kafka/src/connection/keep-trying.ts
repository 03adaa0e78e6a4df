import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';

const firstPauseMs = 100;
const longestPauseMs = 2_000;
const tellAgainAfterMs = 60_000;

const logger = new Logger('Kafka');

/** Does the work, again and again until it succeeds or the signal says stop: Kafka may be away for hours. */
export async function keepTrying(what: string, work: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  let pauseMs = firstPauseMs;
  let toldAt = -Infinity;
  while (!signal.aborted) {
    try {
      await work();
      return;
    } catch (error) {
      if (performance.now() - toldAt > tellAgainAfterMs) {
        toldAt = performance.now();
        logger.warn({ msg: `${what} failed; trying on`, error: String(error) });
      }
    }
    // Spread, so that many processes do not come back to a broker all at once.
    await sleep(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}
