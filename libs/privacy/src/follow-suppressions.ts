import { identifyTopic, refusedMessageTopic, trackTopic } from '@sluice/contracts';
import { type Kafka, type KafkaConfig } from '@sluice/kafka';
import { type Registry, type Starting, whenAvailable } from '@sluice/service';
import { type PrivacyConfig } from './config.js';
import { PrivacyMetrics } from './privacy-metrics.js';
import { SuppressionReader } from './reader.js';
import { SuppressionFilter } from './suppression-filter.js';
import { ensureSuppressionsTopic } from './writer.js';

/** Names of the topics whose Kafka key is `source:userId`, or `source:anonymousId` without a user id. */
export const topicsKeyedByPerson: ReadonlySet<string> = new Set(
  [trackTopic, identifyTopic, refusedMessageTopic].map(({ name }) => name),
);

/**
 * The filter of a consumer, which follows the suppressions from now on. It holds up the first block until they are read.
 * Without the key of the records the process is not ready and says so.
 */
export async function followSuppressions(
  starting: Starting & { readonly metrics: Registry },
  config: KafkaConfig & PrivacyConfig,
  kafka: Kafka,
): Promise<SuppressionFilter> {
  await whenAvailable(starting, 'kafka', () => ensureSuppressionsTopic(kafka, config));
  const reader = new SuppressionReader(kafka, config.PRIVACY_KEY);
  starting.health.ready.set('suppressions', () => {
    const { refusal, registry } = reader;
    if (refusal !== undefined) throw new Error(refusal);
    return { ids: registry.size };
  });
  const filter = new SuppressionFilter(reader, topicsKeyedByPerson, new PrivacyMetrics(reader, starting.metrics));
  await reader.follow();
  return filter;
}
