import type { EachBatchPayload } from 'kafkajs';
import { type Place } from './block.js';
import { type Commit, type Start } from './committed.js';
import { type BlockConfig } from './config.js';
import { DamagedLog, type Undecodable } from './damaged-log.js';
import { copyOut } from './kafkajs/copy-out.js';
import { type UndecodableBatch, undecodableOf } from './kafkajs/undecodable-batch.js';
import { type BlockPorts, PartitionBlocks } from './partition-blocks.js';
import { PartitionProtocol, type Taking } from './partition-protocol.js';

/** Called when a batch cannot be decoded, each time that it is fetched. */
export type OnUndecodable = (batch: UndecodableBatch, pauseMs: number) => void;
type CommitOffsets = EachBatchPayload['commitOffsetsIfNecessary'];

/** A partition as it was assigned in one generation: its blocks, and how kafkajs fetches and commits for it. */
export class AssignedPartition {
  readonly blocks: PartitionBlocks;
  /** kafkajs does not fetch it. */
  isPaused = true;
  /** Where kafkajs fetches is being corrected. */
  isRealigning = false;
  fetchedAt = 0;
  private readonly damaged = new DamagedLog();
  private commitOffsets: CommitOffsets | undefined;
  private logEnd: bigint;

  constructor(
    readonly place: Place,
    start: Start,
    limits: BlockConfig,
    ports: Omit<BlockPorts, 'commit' | 'isFilling'> & { isFilling: (partition: AssignedPartition) => boolean },
    private readonly onUndecodable: OnUndecodable,
  ) {
    this.logEnd = start.replayBelow;
    const protocol = new PartitionProtocol(place, start, limits);
    this.blocks = new PartitionBlocks(protocol, {
      ...ports,
      commit: (commit) => this.commit(commit),
      isFilling: () => ports.isFilling(this),
    });
  }

  get remaining(): bigint {
    return this.logEnd - this.protocol.position;
  }

  /** Nothing more is to be fetched for now: the next block is there, or a batch cannot be decoded. */
  get isFull(): boolean {
    return this.protocol.isFull || this.damaged.isPausing(this.protocol.position);
  }

  /** The batch that is next and cannot be decoded. */
  get undecodable(): Undecodable | undefined {
    return this.damaged.at(this.protocol.position);
  }

  get protocol(): PartitionProtocol {
    return this.blocks.protocol;
  }

  take(payload: EachBatchPayload): Taking {
    const { batch } = payload;
    this.logEnd = BigInt(batch.highWatermark);
    this.fetchedAt = performance.now();
    this.commitOffsets = (offsets) => payload.commitOffsetsIfNecessary(offsets);
    const { fetchedOffset } = batch as typeof batch & FetchedAt;
    const to = BigInt(batch.lastOffset()) + 1n;
    const taking = this.blocks.append({ from: BigInt(fetchedOffset), to, messages: batch.messages });
    if (taking === 'taken') {
      payload.resolveOffset(batch.lastOffset());
      this.lookForDamage(undecodableOf(batch));
    }
    release(batch);
    return taking;
  }

  private lookForDamage(undecodable: UndecodableBatch | undefined): void {
    const pauseMs = this.damaged.fetched(undecodable, this.protocol.position);
    if (undecodable) this.onUndecodable(undecodable, pauseMs);
  }

  /** kafkajs reads the generation to commit under in the tick of this call. It throws what Kafka answers. */
  private commit({ offset, metadata }: Commit): Promise<void> {
    const { topic, partition } = this.place;
    if (!this.commitOffsets) return Promise.reject(new Error('nothing was fetched yet'));
    const partitions = [{ partition, offset, metadata }];
    return this.commitOffsets({ topics: [{ topic, partitions }] });
  }
}

/**
 * The function that commits keeps the whole of the last batch, and its last message, until the next one comes: of a
 * partition that falls silent for ever.
 */
function release(batch: EachBatchPayload['batch']): void {
  copyOut(batch.messages.slice(-1), 1);
  Object.assign(batch, { rawMessages: [], messagesWithinOffset: [], messages: [] });
}

/** What kafkajs' batches have and its types do not say: the offset that was asked for. */
interface FetchedAt {
  readonly fetchedOffset: string;
}
