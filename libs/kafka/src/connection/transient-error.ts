import { KafkaJSError } from '@sluice/kafkajs';
import { typesOf } from './error-types.js';

/** Errors of brokers that do not lead a partition, or do not lead it yet. */
const leaderless = ['LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION'];
/** Errors of brokers that do not know a new topic or its leader yet. kafkajs flags them inconsistently. */
const spreading = new Set(['UNKNOWN_TOPIC_OR_PARTITION', ...leaderless]);

/** True when a partition has no leader that answers, because it is new or its leader moves. */
export const hasNoLeader = (error: unknown): boolean => typesOf(error).some((type) => leaderless.includes(type));

/**
 * True when a retry can succeed. kafkajs wraps an error that it has retried often enough in one that is not retriable,
 * so the causes count too.
 */
export function isTransient(error: unknown): boolean {
  if (typesOf(error).some((type) => spreading.has(type))) return true;
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof KafkaJSError && one.retriable) return true;
  }
  return false;
}
