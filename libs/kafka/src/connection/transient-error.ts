import { KafkaJSError } from '@sluice/kafkajs';
import { listErrorTypes } from './error-types.js';

/** Errors of a partition without a leader, or of brokers that do not lead it. */
const leaderless = ['LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION'];
/** Errors of brokers that do not know a new topic or its leader yet. kafkajs flags them inconsistently. */
const spreading = new Set(['UNKNOWN_TOPIC_OR_PARTITION', ...leaderless]);

/** True when a partition has no leader that answers, because it is new or its leader moves. */
export const hasNoLeader = (error: unknown): boolean => listErrorTypes(error).some((type) => leaderless.includes(type));

/**
 * True when a retry can succeed. When kafkajs gives up, it wraps the retriable error in one that is not retriable, so
 * the causes count too.
 */
export function isTransient(error: unknown): boolean {
  if (listErrorTypes(error).some((type) => spreading.has(type))) return true;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof KafkaJSError && cause.retriable) return true;
  }
  return false;
}
