import { type Consumer } from '@sluice/kafkajs';
import { FetchLanes } from '../bulkheads/fetch-lanes.js';
import { MemoryShares } from '../bulkheads/memory-shares.js';
import { type Assignment } from '../logs/read-assigned.js';
import { type AssignedPartition } from './assigned-partition.js';

/** Reasons for which no partition of a member is fetched. */
export interface HoldReasons {
  readonly isStopping: boolean;
  readonly isUnsure: boolean;
}

/** Decides which partitions of a member kafkajs fetches, and from where. */
export class Fetching {
  private readonly lanes = new FetchLanes<AssignedPartition>();
  private readonly shares: MemoryShares<AssignedPartition>;

  /** @param bytes memory for messages that are fetched and not stored yet */
  constructor(
    private readonly consumer: Pick<Consumer, 'pause' | 'resume' | 'seek'>,
    bytes: number,
  ) {
    this.shares = new MemoryShares(bytes);
  }

  /** Pauses the partitions of a new generation, until their starts are known. */
  pauseAll(assignment: Assignment): void {
    for (const [topic, partitions] of Object.entries(assignment)) {
      this.consumer.resume([{ topic }]);
      this.consumer.pause([{ topic, partitions: [...partitions] }]);
    }
  }

  /** Fetches a partition from its position on. */
  seek({ place, protocol }: AssignedPartition): void {
    this.consumer.seek({ ...place, offset: String(protocol.position) });
  }

  /** True when more of the partition's log is about to be fetched. */
  isFilling(partition: AssignedPartition): boolean {
    return this.lanes.isFilling(partition);
  }

  /** Decides again which partitions are fetched: those next in line that are not full and have memory left. */
  balance(partitions: AssignedPartition[], { isStopping, isUnsure }: HoldReasons): void {
    const { closed, comingBack, lettingGo, hurried } = this.shares.divide(partitions);
    if (!isStopping) for (const partition of lettingGo) this.letGo(partition);
    for (const partition of comingBack) partition.comeBack();
    hurried?.blocks.hurry();
    const healthyToFetch = this.lanes.choose(
      partitions.filter((partition) => !partition.isSuspect && !partition.isSetAside),
    );
    for (const partition of partitions) {
      const isWanted = healthyToFetch.has(partition) || (partition.isSuspect && !partition.isSetAside);
      const isUntaken = isStopping || isUnsure || partition.isReplaced;
      this.setPaused(partition, isUntaken || partition.isRealigning || closed.has(partition) || !isWanted);
    }
  }

  private letGo(partition: AssignedPartition): void {
    this.setPaused(partition, true);
    partition.letGo();
    this.seek(partition);
  }

  private setPaused(partition: AssignedPartition, isPaused: boolean): void {
    if (partition.isPaused === isPaused) return;
    partition.isPaused = isPaused;
    const { topic, partition: number } = partition.place;
    const partitions = [{ topic, partitions: [number] }];
    if (isPaused) this.consumer.pause(partitions);
    else this.consumer.resume(partitions);
  }
}
