import { Logger } from '@nestjs/common';
import { type Kafka, RecordSnapshot } from '@sluice/kafka';
import { PlanReader } from '@sluice/plans';
import { errorCode, type Registry } from '@sluice/service';
import { PlanFailures } from './plan-metrics.js';

const logAgainAfterMs = 60_000;

/** Follows the tracking plans. A faulty plan lets messages pass: errors are counted, and logged once a minute. */
export function planReader(
  kafka: Kafka,
  { GATEWAY_DATA_DIR }: { GATEWAY_DATA_DIR: string },
  metrics: Registry,
): PlanReader {
  const failures = new PlanFailures(metrics);
  const logger = new Logger(PlanReader.name);
  let loggedAt = -Infinity;
  return new PlanReader(kafka, {
    snapshot: new RecordSnapshot(GATEWAY_DATA_DIR, 'plans'),
    onUnreadable: () => failures.unreadableRecord(),
    onError: (error) => {
      failures.failedJudgement();
      if (performance.now() - loggedAt < logAgainAfterMs) return;
      loggedAt = performance.now();
      logger.error({ msg: 'a plan could not judge a message, which passes', code: errorCode(error) });
    },
  });
}
