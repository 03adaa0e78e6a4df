import {
  type EachBatchPayload,
  readFetchedOffset,
  release,
  type UndecodableBatch,
  undecodableBatch,
} from '@sluice/kafkajs';
import { type TopicPartition } from '../protocol/block.js';
import { type Start } from '../protocol/committed.js';
import { type BlockConfig } from '../connection/config.js';
import { type LastState } from '../logs/former-logs.js';
import { FoundLosses } from '../logs/found-losses.js';
import { type Sharer } from '../bulkheads/memory-shares.js';
import { type BlockStorage } from '../protocol/block-storage.js';
import { PartitionBlocks } from '../protocol/partition-blocks.js';
import { PartitionProtocol, type AppendResult } from '../protocol/partition-protocol.js';
import { type PartitionSteps } from '../protocol/partition-steps.js';

/** Pause before a partition with an undecodable batch is fetched again. */
const setAsideMs = 10_000;
const firstParkedMs = 5_000;
const maxParkedMs = 60_000;

/** A partition as it was assigned in one generation: its blocks, and how kafkajs fetches for it. */
export class AssignedPartition implements Sharer {
  blocks: PartitionBlocks;
  /** True while kafkajs does not fetch it. */
  isPaused = true;
  /** True while the offset at which kafkajs fetches is being corrected. */
  isRealigning = false;
  fetchedAt = 0;
  parkedUntil: number | undefined;
  parkedBytes = 0;
  heldSince = performance.now();
  /** True when the group has a committed offset of it. */
  hasCommitted = false;
  /** Id of its topic; undefined while it is unknown. */
  logId: string | undefined;
  /** True when its topic was recreated. Messages that were fetched before are stored; nothing more is fetched. */
  isReplaced = false;
  readonly losses = new FoundLosses();
  /** Position at the last look at the end of the log. */
  private positionAtLook: bigint | undefined;
  private parkings = 0;
  private asideUntil = 0;
  private logEnd: bigint;

  constructor(
    readonly place: TopicPartition,
    start: Start,
    private readonly limits: BlockConfig,
    private readonly storage: BlockStorage,
    steps?: PartitionSteps,
  ) {
    this.logEnd = start.replayBelow;
    this.blocks = this.begin(start, steps);
  }

  get topic(): string {
    return this.place.topic;
  }

  get remaining(): bigint {
    return this.logEnd - this.protocol.position;
  }

  get wantsMore(): boolean {
    return this.remaining > 0n && !this.isSetAside;
  }

  get lastState(): LastState {
    const { place, protocol, losses, logEnd, hasCommitted, logId } = this;
    const unstored = (): bigint => firstUnstored(protocol, losses);
    return { place, unstored: unstored(), settled: this.blocks.ended.then(unstored), logEnd, hasCommitted, logId };
  }

  /** False while the id that Kafka answers for the topic cannot be the new log's: it is missing, or the former one. */
  canBecome(id: string | undefined): boolean {
    return this.logId === undefined || (id !== undefined && !(this.isReplaced && id === this.logId));
  }

  /** True when nothing that was fetched waits to be stored. */
  get isDrained(): boolean {
    return this.heldBytes === 0 && !this.isStoring;
  }

  get isFull(): boolean {
    return this.protocol.isFull;
  }

  get isReplaying(): boolean {
    return this.protocol.isReplaying;
  }

  get isStoring(): boolean {
    return this.protocol.isStoring;
  }

  get heldBytes(): number {
    return this.protocol.heldBytes;
  }

  get looseBytes(): number {
    return this.canLetGo ? this.heldBytes : this.protocol.waitingBytes;
  }

  get isSuspect(): boolean {
    return this.steps.isSuspectAt();
  }

  /**
   * Compares the end of the log, as found by a look, with the position at the look before. True when the log ends
   * before that position: the topic was recreated. If that went unnoticed, the new log could grow past the position,
   * and its first messages would never be read. False while messages are held: they are stored first.
   */
  isLogShorter(end: bigint | undefined): boolean {
    const positionBefore = this.positionAtLook;
    this.positionAtLook = this.protocol.position;
    return end !== undefined && positionBefore !== undefined && end < positionBefore && this.isDrained;
  }

  /** True while its log is not read, after an undecodable batch. */
  get isSetAside(): boolean {
    return performance.now() < this.asideUntil;
  }

  get canLetGo(): boolean {
    return this.isStoring && this.steps.isPausing && this.protocol.restart !== undefined;
  }

  get protocol(): PartitionProtocol {
    return this.blocks.protocol;
  }

  get steps(): PartitionSteps {
    return this.blocks.steps;
  }

  /**
   * Stops fetching for a while before the next attempt to read the undecodable batch. Messages fetched before are
   * stored in the meantime, and other partitions go on.
   */
  private setAside(batch: UndecodableBatch): void {
    this.asideUntil = performance.now() + setAsideMs;
    this.steps.failedBy('undecodable', batch);
    this.storage.retrying(this.place, 'undecodable', batch, setAsideMs);
  }

  /**
   * Forgets all messages that are not on their way to the table. They are fetched again later; a block under
   * way is replayed, as after a crash.
   */
  letGo(): void {
    const restart = this.isStoring && this.canLetGo ? this.protocol.restart : undefined;
    if (!restart) {
      this.protocol.rewind();
      return;
    }
    this.parkedBytes = this.heldBytes;
    this.blocks.end();
    this.blocks = this.begin(restart, this.steps);
    this.parkedUntil = performance.now() + Math.min(firstParkedMs * 2 ** this.parkings, maxParkedMs);
    this.parkings += 1;
  }

  comeBack(): void {
    this.parkedUntil = undefined;
    this.heldSince = performance.now();
  }

  /** Takes note that a failed step works again, here or for another partition of the topic. */
  trust(): void {
    this.steps.trust();
    this.comeBack();
    this.parkings = 0;
    this.parkedBytes = 0;
  }

  take(payload: EachBatchPayload): AppendResult {
    const { batch } = payload;
    this.fetchedAt = performance.now();
    const to = BigInt(batch.lastOffset()) + 1n;
    const taking = this.blocks.append({ from: BigInt(readFetchedOffset(batch)), to, messages: batch.messages });
    if (taking === 'taken') {
      this.logEnd = BigInt(batch.highWatermark);
      payload.resolveOffset(batch.lastOffset());
      const undecodable = undecodableBatch(batch);
      if (undecodable) this.setAside(undecodable);
      else this.steps.over('undecodable');
    }
    release(batch);
    return taking;
  }

  private begin(start: Start, steps?: PartitionSteps): PartitionBlocks {
    const { place, storage } = this;
    const protocol = new PartitionProtocol(place, start, this.limits, () => storage.placement(place));
    return new PartitionBlocks(protocol, storage, steps);
  }
}

const firstUnstored = ({ oldest, position }: PartitionProtocol, losses: FoundLosses): bigint =>
  losses.first ?? BigInt(oldest?.offset ?? position);
