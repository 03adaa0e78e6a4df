import { type KafkaMessage } from '@sluice/kafkajs';

/** A message as it lies in Kafka. */
export type StoredMessage = Pick<KafkaMessage, 'key' | 'value' | 'headers' | 'offset' | 'timestamp'>;

/**
 * Consecutive messages of one partition: the unit that is stored, confirmed and repeated. Storing a block again under
 * the same id must change nothing.
 */
export interface Block {
  /** `topic:partition:first-last@timestamp`; a topic that is recreated repeats offsets, but not timestamps. */
  readonly id: string;
  readonly topic: string;
  readonly partition: number;
  /** At least one, in the order of their offsets. */
  readonly messages: readonly StoredMessage[];
  /** Some of it may be stored already, under this id or another: a table that only appends is asked first. */
  readonly replay: boolean;
  /** The topic's present number of partitions; undefined while that is not known. */
  readonly partitions?: number | undefined;
  /** The shard that stores it; undefined where ClickHouse is one server, and for a block begun when it was. */
  readonly shard?: string | undefined;
  /** The shards that may hold messages of its partition, or copies of them. Set where there are shards. */
  readonly mayLieOn?: readonly string[];
  /** All shards, each with a copy of the small tables. */
  readonly allShards?: readonly string[];
}

/** The shard of a partition's blocks that begin now, by the newest known version of the map of shards. */
export interface Placement {
  readonly shard: string;
  /** The version, counted from 1. */
  readonly map: number;
}

/** A message that its table can never store, and why. It becomes a dead letter. */
export interface Rejection {
  readonly message: StoredMessage;
  readonly reason: string;
  /** The reason without content of the message; left out when it is the same. */
  readonly kind?: string;
}

/**
 * Stores a block and resolves with the messages that its table rejects.
 * @throws FinalError when the table rejects the block as a whole; after any other error the block is stored again.
 */
export type BlockHandler = (block: Block) => Promise<Rejection[]>;

/** First and last offset of a block, the timestamp of the message at the first, and the block's shard. */
export interface BlockRange {
  readonly first: string;
  readonly last: string;
  readonly timestamp: string;
  readonly shard?: string | undefined;
}

/** Upper bounds of a block. */
export interface BlockLimits {
  readonly BLOCK_MAX_ROWS: number;
  readonly BLOCK_MAX_BYTES: number;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** Key of a partition in maps, and its name for people. */
export const partitionKey = ({ topic, partition }: TopicPartition): string => `${topic}:${partition}`;

/** @param range of a replayed block, some of whose messages may be gone; otherwise that of the messages. */
export function createBlock(
  { topic, partition }: TopicPartition,
  messages: readonly StoredMessage[],
  { isReplay, range }: { readonly isReplay: boolean; readonly range: BlockRange },
): Block {
  const { first, last, timestamp, shard } = range;
  const id = `${partitionKey({ topic, partition })}:${first}-${last}@${timestamp}`;
  return { id, topic, partition, messages, replay: isReplay, ...(shard !== undefined && { shard }) };
}

export function requireRange(messages: readonly StoredMessage[], shard?: string): BlockRange {
  const [first, last] = [messages[0], messages.at(-1)];
  if (!first || !last) throw new RangeError('a block has at least one message');
  return { first: first.offset, last: last.offset, timestamp: first.timestamp, shard };
}

/** Halves a rejected block of at least two messages. Each half is a replay: a failed INSERT may have stored a part. */
export function cut(block: Block): Block[] {
  const { messages, shard } = block;
  const middle = messages.length >> 1;
  return [messages.slice(0, middle), messages.slice(middle)].map((half) =>
    createBlock(block, half, { isReplay: true, range: requireRange(half, shard) }),
  );
}
