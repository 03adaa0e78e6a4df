import { typesOf } from '../connection/error-types.js';

/** Kafka did not acknowledge in time, or there is no room for more: the same request may be sent again later. */
export class NotPublishedError extends Error {
  override readonly name = 'NotPublishedError';

  /** Seconds after which another try makes sense; undefined when nobody knows. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, options: ErrorOptions & { retryAfterSeconds?: number } = {}) {
    super(message, options);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** Kafka's name for the permanent error of one of the messages; undefined when another attempt may succeed. */
  get permanentErrorType(): string | undefined {
    return typesOf(this.cause).find((type) => permanentErrorTypes.has(type));
  }

  /** Kafka's name for why it takes nothing for a topic, until an operator changes that; undefined for anything else. */
  get topicFailure(): string | undefined {
    return typesOf(this.cause).find((type) => topicFailures.has(type));
  }

  /** Kafka answers, but does not take some of the messages. */
  get isMessageFault(): boolean {
    return this.permanentErrorType !== undefined || this.topicFailure !== undefined;
  }
}

/**
 * Errors that no retry changes. An unknown or forbidden topic is not among them: an operator can create or allow it, and
 * the messages then go where they belong.
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

/** Such a partition has stored nothing: the broker that was asked is not, or not yet, its leader. */
const leaderErrors = new Set(['LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION']);

export const isLeaderError = (error: unknown): boolean => typesOf(error).some((type) => leaderErrors.has(type));
