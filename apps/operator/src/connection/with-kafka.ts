import { createKafka, type Kafka, type KafkaConfig, withinDeadline } from '@sluice/kafka';
import { SourceError } from '@sluice/sources';
import { OperatorError, reasonOf } from '../errors.js';

/**
 * Works with Kafka for a bounded time.
 * @throws OperatorError when Kafka is unavailable or refuses; a SourceError and an OperatorError pass through.
 */
export async function withKafka<T>(
  config: KafkaConfig,
  limitMs: number,
  work: (kafka: Kafka) => Promise<T>,
): Promise<T> {
  try {
    return await withinDeadline(work(createKafka(config, 'sluice-operator')), limitMs, 'not done');
  } catch (error) {
    if (error instanceof SourceError || error instanceof OperatorError) throw error;
    const brokers = config.KAFKA_BROKERS.join(', ');
    throw new OperatorError(`Kafka at ${brokers} cannot be used: ${reasonOf(error)}`, { cause: error });
  }
}
