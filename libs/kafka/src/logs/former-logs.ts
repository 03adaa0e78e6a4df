import { partitionKey, type TopicPartition } from '../protocol/block.js';
import { type Commit, isOfOtherLog, type LogRange, type Loss } from '../protocol/committed.js';
import { type KnownEnds } from './known-ends.js';

/** Called with offsets deleted before they were known to be stored. For a deleted topic, the range may be empty. */
export type OnLoss = (place: TopicPartition, loss: Loss) => void;

/** The state of a partition when this process last had it. */
export interface LastState {
  readonly place: TopicPartition;
  /** The first offset that is not known to be stored. */
  readonly unstored: bigint;
  /** Resolves with `unstored` when no INSERT is under way any more: one that has begun may succeed after the generation. */
  readonly settled: Promise<bigint>;
  /** The last known end of the partition's log. */
  readonly logEnd: bigint;
  /** True when the group had a committed offset of it, which Kafka deletes with the topic. */
  readonly hasCommitted: boolean;
  /** Id of the topic that the log belongs to; undefined while it is unknown. */
  readonly logId?: string | undefined;
}

/**
 * Counts the losses of deleted topics: in each partition, from its first unstored offset to the last known end of its
 * log. That is a lower bound (docs/decisions/0059-losses-of-deleted-topics.md). The last owner of the partition counts
 * them, once.
 */
export class FormerLogs {
  /** Partitions of earlier generations of which this process was the last owner. */
  private readonly lastStates = new Map<string, LastState>();

  constructor(
    private readonly ends: KnownEnds,
    private readonly lost: OnLoss,
  ) {}

  /** Remembers the state of a partition at the end of its generation. */
  leave(state: LastState): void {
    this.lastStates.set(partitionKey(state.place), state);
  }

  /** Checks an assigned partition against its commit and log. Returns true when its log is known to be another one. */
  assign(place: TopicPartition, committed: Commit, log: LogRange, logId?: string): boolean {
    const lastState = this.lastStates.get(partitionKey(place));
    this.lastStates.delete(partitionKey(place));
    const isOther =
      isOfOtherLog(committed, log) || (lastState !== undefined && isOtherThan(lastState, committed, log, logId));
    if (isOther && lastState) this.replace(lastState, log);
    else if (isOther || (this.ends.end(place) ?? 0n) > BigInt(log.high) || this.ends.formerEnd(place) !== undefined) {
      this.ends.restart(place);
    }
    return isOther;
  }

  /** Counts the losses of a log that was replaced by the one just read. */
  replace(last: LastState, log: LogRange): void {
    const { place, logEnd } = last;
    const knownEnd = this.ends.end(place) ?? 0n;
    // An end that is not beyond the end of the new log may belong to the new log.
    const formerEnd = this.ends.formerEnd(place) ?? (knownEnd > BigInt(log.high) ? knownEnd : 0n);
    this.count(last, formerEnd > logEnd ? formerEnd : logEnd);
  }

  /**
   * To be called after each look at all logs and ids. Counts the losses of left partitions whose log was replaced, and
   * forgets the others, which other processes have now.
   */
  afterLook(ids: ReadonlyMap<string, string> = new Map()): void {
    for (const [key, last] of this.lastStates) {
      const logId = ids.get(last.place.topic);
      const former = this.ends.formerEnd(last.place) ?? (areDifferent(last.logId, logId) ? last.logEnd : undefined);
      if (former !== undefined) this.count(last, former > last.logEnd ? former : last.logEnd);
      this.lastStates.delete(key);
    }
  }

  private count({ place, settled }: LastState, to: bigint): void {
    this.ends.restart(place);
    // Reported even if nothing is known to be lost: there may have been messages that no process has seen.
    void settled.then((from) => this.lost(place, { from, to: from < to ? to : from, state: 'topic deleted' }));
  }
}

/** True when both ids are known and differ. */
const areDifferent = (firstId: string | undefined, secondId: string | undefined): boolean =>
  firstId !== undefined && secondId !== undefined && firstId !== secondId;

/** Kafka's answer when it has no offset. kafkajs can commit other offsets below 0. */
const noOffset = '-1';

const isOtherThan = (
  lastState: LastState,
  { offset }: Commit,
  { high }: LogRange,
  logId: string | undefined,
): boolean =>
  areDifferent(lastState.logId, logId) ||
  (lastState.hasCommitted && offset === noOffset) ||
  lastState.unstored > BigInt(high);
