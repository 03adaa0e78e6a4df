import { probeLog } from '@sluice/kafka';
import { type DoctorCheck } from '../examination.js';
import { type Finding, well } from '../finding.js';

export const kafkaLogs: DoctorCheck = {
  check: 'kafka.logs',
  tested: 'topics have ids, and messages are found by their time',
  run: async ({ kafka, scratch, sends }) => {
    await sends();
    const { topicId, offsetByTime } = await probeLog(kafka, scratch.topic);
    if (offsetByTime !== '0') {
      return {
        verdict: 'fails',
        found: `the first message was found at offset ${offsetByTime ?? 'none'} by its time, and lies at 0`,
        meaning: 'Late data, dead letters and what waits for how long cannot be found.',
        action: 'Do not run Sluice on this Kafka: docs/decisions/0010-exactly-once.md',
      } satisfies Finding;
    }
    if (topicId !== undefined) return well(`id ${topicId.slice(0, 8)}…, found by time`);
    return {
      verdict: 'attention',
      found: 'this Kafka gives no ids of topics',
      meaning: 'A topic that is deleted and made again while a consumer runs is noticed only by its shorter log.',
      action: 'Stop the consumers before a topic is deleted: docs/runbooks.md#topicrecreated',
    };
  },
};
