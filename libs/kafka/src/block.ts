import { type KafkaMessage } from 'kafkajs';

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
}

/** A message that cannot be stored, ever, and why. It goes to the dead letters. */
export interface Refusal {
  readonly message: StoredMessage;
  readonly reason: string;
}

/** Stores a block and returns what it refuses. Throws FinalError when the content is at fault, else to be tried again. */
export type BlockHandler = (block: Block) => Promise<Refusal[]>;

export function createBlock(topic: string, partition: number, messages: readonly StoredMessage[]): Block {
  const [first, last] = [messages[0], messages.at(-1)];
  if (!first || !last) throw new RangeError('a block has at least one message');
  return { id: `${topic}:${partition}:${first.offset}-${last.offset}@${first.timestamp}`, topic, partition, messages };
}

/** The two halves of a block of at least two messages, each a block of its own. */
export function halves({ topic, partition, messages }: Block): [Block, Block] {
  const middle = messages.length >> 1;
  return [
    createBlock(topic, partition, messages.slice(0, middle)),
    createBlock(topic, partition, messages.slice(middle)),
  ];
}
