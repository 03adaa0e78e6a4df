import { listErrorTypes } from '../connection/error-types.js';

/** Kafka did not acknowledge a request in time, its topic is unknown, or there was no room for it. */
export class NotPublishedError extends Error {
  override readonly name = 'NotPublishedError';

  /** Seconds after which another attempt makes sense; undefined when unknown. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, options: ErrorOptions & { retryAfterSeconds?: number } = {}) {
    super(message, options);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** Kafka's name for the permanent error of one of the messages; undefined when a retry can succeed. */
  get permanentErrorType(): string | undefined {
    return listErrorTypes(this.cause).find((type) => permanentErrorTypes.has(type));
  }

  /** Kafka's name for the error of a topic that only an operator can fix; undefined for any other error. */
  get topicFailure(): string | undefined {
    return listErrorTypes(this.cause).find((type) => topicFailures.has(type));
  }

  /** True when Kafka answered, but refused some of the messages. */
  get isMessageFault(): boolean {
    return this.permanentErrorType !== undefined || this.topicFailure !== undefined;
  }
}

/**
 * Permanent errors. An unknown or forbidden topic is not among them: an operator can create or allow it, and a retry
 * then succeeds.
 */
const permanentErrorTypes = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'INVALID_TIMESTAMP',
  'UNSUPPORTED_FOR_MESSAGE_FORMAT',
  'POLICY_VIOLATION',
]);

const topicFailures = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'TOPIC_AUTHORIZATION_FAILED', 'INVALID_TOPIC_EXCEPTION']);

/** Errors of a broker that does not lead a partition, or not yet. It has stored nothing. */
const leaderErrors = new Set(['LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION']);

export const isLeaderError = (error: unknown): boolean => listErrorTypes(error).some((type) => leaderErrors.has(type));
