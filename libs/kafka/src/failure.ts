import { KafkaJSAggregateError, KafkaJSError } from 'kafkajs';

/** What went wrong, for a person, when the error is Kafka's or of the way to it; undefined for any other error. */
export function kafkaFailure(error: unknown): string | undefined {
  if (error instanceof KafkaJSAggregateError) return error.errors.map((one) => (one instanceof Error ? one.message : one)).join('; ');
  return error instanceof KafkaJSError ? error.message : undefined;
}
