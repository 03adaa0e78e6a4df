import { type IHeaders } from '@sluice/kafkajs';

/**
 * Headers that a dead letter has after the original ones. Topic, partition, offset and timestamp are its identity.
 * A letter that is too large for one message is written as several parts, which have `reason`, `partOf` and `part`
 * instead (docs/decisions/0023-dead-letters.md).
 */
export const deadLetterHeader = {
  reason: 'dead-letter-reason',
  topic: 'dead-letter-topic',
  partition: 'dead-letter-partition',
  offset: 'dead-letter-offset',
  timestamp: 'dead-letter-timestamp',
  /** The id of the letter that this message is a part of. */
  partOf: 'dead-letter-part-of',
  /** Bytes of the letter's record body that this part holds: `from-to/all`, `to` not included. */
  part: 'dead-letter-part',
  /** The id of the first letter of the message; a replay adds it to the message. */
  firstLetterId: 'dead-letter-first',
} as const;

/** The place that a message lay in. A replayed message that is refused again lies in another place than before. */
export interface LetterOrigin {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** Time at which Kafka took the message, milliseconds since 1970. */
  readonly timestamp: number;
}

/** A rejected message, unchanged, with the reason. */
export interface DeadLetter extends LetterOrigin {
  /** `topic:partition:offset@timestamp`: where the message lay when first refused. All its letters have the same id. */
  readonly id: string;
  readonly reason: string;
  /** Time at which its table rejected it, milliseconds since 1970. */
  readonly refusedAt: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** The original headers. */
  readonly headers: IHeaders;
  /** The original headers as encoded in the record: in their order, with null values and names that are not UTF-8. */
  readonly encodedHeaders: Buffer;
  /** Set when parts of the letter are missing or cannot be decoded; it then has no key, value or headers. */
  readonly damage?: LetterDamage;
}

/** Numbers of bytes of key, value and headers together. */
export interface LetterDamage {
  readonly missingBytes: number;
  readonly allBytes: number;
}

export const letterId = ({ topic, partition, offset, timestamp }: LetterOrigin): string =>
  `${topic}:${partition}:${offset}@${timestamp}`;

const idPattern = /^(?<topic>[^:]+):(?<partition>\d+):(?<offset>\d+)@(?<timestamp>-?\d+)$/;

/** Parses the id of a letter; undefined when the text is not one. */
export function parseLetterId(id: string): LetterOrigin | undefined {
  const groups = idPattern.exec(id)?.groups;
  if (!groups) return undefined;
  const { topic = '', partition, offset = '', timestamp } = groups;
  return { topic, partition: Number(partition), offset, timestamp: Number(timestamp) };
}

/**
 * The id of a letter's message. A message that was refused again has the id of its first letter, which its header names;
 * the header counts only if that letter lay in the same partition before.
 * @param firstId the header `dead-letter-first`
 */
export function originalMessageId(origin: LetterOrigin, firstId: string | undefined): string {
  const first = firstId === undefined ? undefined : parseLetterId(firstId);
  const isEarlier =
    first?.topic === origin.topic && first.partition === origin.partition && first.timestamp <= origin.timestamp;
  return firstId !== undefined && isEarlier ? firstId : letterId(origin);
}
