import type { IHeaders, KafkaMessage } from 'kafkajs';

/** Headers that a dead letter has beside the original ones. Topic, partition, offset and timestamp are its identity. */
export const deadLetterHeader = {
  reason: 'dead-letter-reason',
  topic: 'dead-letter-topic',
  partition: 'dead-letter-partition',
  offset: 'dead-letter-offset',
  timestamp: 'dead-letter-timestamp',
} as const;

/** A message that was refused, as it was, with the reason. */
export interface DeadLetter {
  /** `topic:partition:offset@timestamp`: where the message lay. A letter that was written twice has the same. */
  readonly id: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** When Kafka took the message, milliseconds since 1970. */
  readonly timestamp: number;
  readonly reason: string;
  /** When it was refused, milliseconds since 1970. */
  readonly refusedAt: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** The original ones. */
  readonly headers: IHeaders;
}

const ownHeaders = new Set<string>(Object.values(deadLetterHeader));

/** A message of a dead-letter topic; undefined for one that no consumer of ours wrote. */
export function readDeadLetter({ key, value, headers = {}, timestamp }: KafkaMessage): DeadLetter | undefined {
  const text = (name: string): string | undefined => headers[name]?.toString();
  const [topic, partition] = [text(deadLetterHeader.topic), Number(text(deadLetterHeader.partition))];
  const [offset, takenAt] = [text(deadLetterHeader.offset), Number(text(deadLetterHeader.timestamp))];
  if (topic === undefined || offset === undefined || !Number.isInteger(partition)) return undefined;
  return {
    id: `${topic}:${partition}:${offset}@${takenAt}`,
    topic,
    partition,
    offset,
    timestamp: takenAt,
    reason: text(deadLetterHeader.reason) ?? '',
    refusedAt: Number(timestamp),
    key,
    value,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name))),
  };
}
