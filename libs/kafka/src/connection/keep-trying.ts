import { Logger } from '@nestjs/common';
import { retry } from '@sluice/service';

const logAgainAfterMs = 60_000;

const logger = new Logger('Kafka');

/** Repeats the work until it succeeds or the signal is aborted: Kafka may be down for hours. Logs once a minute at most. */
export async function keepTrying(workName: string, work: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  let loggedAt = -Infinity;
  const onFailure = ({ error }: { error: unknown }): void => {
    if (performance.now() - loggedAt < logAgainAfterMs) return;
    loggedAt = performance.now();
    logger.warn({ msg: `${workName} failed, trying again`, error: String(error) });
  };
  try {
    await retry(work, { signal, onFailure });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
