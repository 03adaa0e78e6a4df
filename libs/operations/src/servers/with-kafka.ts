import { createKafka, type Kafka, type KafkaConfig, withinDeadline } from '@sluice/kafka';
import { PlanChangeError } from '@sluice/plans';
import { SourceError } from '@sluice/sources';
import { OperationError, describeFailure, ServerUnreachableError } from '../operation-error.js';

/**
 * Works with Kafka for a bounded time.
 * @throws ServerUnreachableError when Kafka is unavailable or refuses; a SourceError, PlanChangeError or OperationError passes through.
 */
export async function withKafka<T>(
  config: KafkaConfig,
  limitMs: number,
  work: (kafka: Kafka) => Promise<T>,
): Promise<T> {
  try {
    return await withinDeadline(work(createKafka(config, 'sluice-operator')), limitMs, 'not done');
  } catch (error) {
    const isForeseen = [SourceError, PlanChangeError, OperationError].some((errorClass) => error instanceof errorClass);
    if (isForeseen) throw error;
    const brokers = config.KAFKA_BROKERS.join(', ');
    throw new ServerUnreachableError('kafka', `Kafka at ${brokers} cannot be used: ${describeFailure(error)}`, {
      cause: error,
    });
  }
}
