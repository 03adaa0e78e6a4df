import { type KafkaMessage } from '@sluice/kafkajs';

/** A message as it lies in Kafka. */
export type StoredMessage = Pick<KafkaMessage, 'key' | 'value' | 'headers' | 'offset' | 'timestamp'>;

/**
 * Consecutive messages of one partition: the unit that is stored, confirmed and repeated. Storing a block again under
 * the same id must change nothing.
 */
export interface Block {
  /** `topic:partition:first-last@timestamp`; a topic that is created anew repeats offsets, but not timestamps. */
  readonly id: string;
  readonly topic: string;
  readonly partition: number;
  /** At least one, in the order of their offsets. */
  readonly messages: readonly StoredMessage[];
  /** Some of it may be stored already, under this id or another: a table that only appends is asked first. */
  readonly replay: boolean;
  /** The topic's present number of partitions; undefined while that is not known. */
  readonly partitions?: number | undefined;
}

/** A message that cannot be stored, ever, and why. It goes to the dead letters. */
export interface Refusal {
  readonly message: StoredMessage;
  readonly reason: string;
}

/** Stores a block and returns what it refuses. Throws FinalError when the content is at fault, else to be tried again. */
export type BlockHandler = (block: Block) => Promise<Refusal[]>;

/** First and last offset of a block, and the timestamp of the message at the first. */
export interface BlockRange {
  readonly first: string;
  readonly last: string;
  readonly timestamp: string;
}

export interface Place {
  readonly topic: string;
  readonly partition: number;
}

/** `range` only where it is not that of the messages: some of a block that is replayed may be gone. */
export function createBlock(
  { topic, partition }: Place,
  messages: readonly StoredMessage[],
  replay = false,
  range = rangeOf(messages),
): Block {
  const { first, last, timestamp } = range;
  return { id: `${topic}:${partition}:${first}-${last}@${timestamp}`, topic, partition, messages, replay };
}

export function rangeOf(messages: readonly StoredMessage[]): BlockRange {
  const [first, last] = [messages[0], messages.at(-1)];
  if (!first || !last) throw new RangeError('a block has at least one message');
  return { first: first.offset, last: last.offset, timestamp: first.timestamp };
}

/**
 * The two halves that a refused block of at least two messages is cut into. Each is a replay: what was refused may have
 * been stored in part all the same.
 */
export function cut(block: Block): Block[] {
  const { messages } = block;
  const middle = messages.length >> 1;
  return [messages.slice(0, middle), messages.slice(middle)].map((half) => createBlock(block, half, true));
}
