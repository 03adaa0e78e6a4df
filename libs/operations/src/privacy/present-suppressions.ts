import { type Kafka, type KafkaConfig } from '@sluice/kafka';
import { ensureSuppressionsTopic, type PrivacyConfig, SuppressionReader } from '@sluice/privacy';
import { OperationError } from '../operation-error.js';

/**
 * Reads all suppressions, and follows them while the work lasts.
 * @throws OperationError when PRIVACY_KEY is not the key of the records: nothing was done then.
 */
export async function withSuppressions<T>(
  kafka: Kafka,
  config: KafkaConfig & PrivacyConfig,
  work: (suppressions: SuppressionReader) => Promise<T>,
): Promise<T> {
  await ensureSuppressionsTopic(kafka, config);
  const reader = new SuppressionReader(kafka, config.PRIVACY_KEY);
  try {
    await reader.start();
    if (reader.refusal !== undefined) throw new OperationError(`${reader.refusal}; nothing was done`);
    return await work(reader);
  } finally {
    await reader.stop();
  }
}
