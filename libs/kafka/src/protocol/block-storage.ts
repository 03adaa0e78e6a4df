import { type Block, type BlockHandler, type TopicPartition, type Placement, type Rejection } from './block.js';
import { type Commit } from './committed.js';
import { type PartitionStep } from './partition-steps.js';

/** Points that a block passes, in their order. A fault test kills the process at one of them. */
export type BlockPoint = 'after-intent' | 'after-insert' | 'after-dead-letters';

/**
 * The port of this room: everything that the protocol needs of the world, for all partitions of a process. Each promise
 * may reject at any time, whether its work is done or not. ../consume/consumer-storage.ts implements it with Kafka and
 * the handlers of the tables, model/simulated-process.spec-support.ts with servers that lose and delay everything.
 */
export interface BlockStorage {
  /** Commits under the generation that is present in the tick of the call. */
  commit(place: TopicPartition, commit: Commit): Promise<void>;
  /** False until something was fetched in this generation: only then does kafkajs give the function that commits. */
  canCommit(): boolean;
  /** Returns the shard of a block that begins now; undefined where ClickHouse is one server. */
  placement(place: TopicPartition): Placement | undefined;
  /** Stores the rows of a block in their table. */
  readonly store: BlockHandler;
  /** Resolves when the dead letters are acknowledged. */
  bury(block: Block, rejections: readonly Rejection[]): Promise<void>;

  /**
   * Resolves when it is the partition's turn to store, with the function that ends the turn. A block is cut off only
   * then, so that it grows while others keep the table busy.
   */
  turn(place: TopicPartition): Promise<() => void>;
  /** Age at which a block is stored even if it is not full. */
  maxAgeMs(): number;
  /** True when more of the log is about to be fetched, so that waiting makes a block larger. */
  isFilling(place: TopicPartition): boolean;
  /** Rejects when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<unknown>;

  /** Called before the pause that precedes another attempt. */
  retrying(place: TopicPartition, step: PartitionStep, error: unknown, pauseMs: number): void;
  /** Called when a step succeeds that had failed or lasted too long. */
  recovered(place: TopicPartition): void;
  /** Called when held memory, or what may be fetched, has changed. */
  progressed(): void;
  passed(point: BlockPoint, place: TopicPartition): void;
}
