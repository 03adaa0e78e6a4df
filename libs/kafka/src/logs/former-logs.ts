import { type Place } from '../protocol/block.js';
import { type Commit, isOfOtherLog, type LogRange, type Loss } from '../protocol/committed.js';
import { type KnownEnds } from './known-ends.js';

/** Called with offsets that were deleted before they were known to be stored. */
export type OnLoss = (place: Place, loss: Loss) => void;

/** The state of a partition when this process last had it. */
export interface LastState {
  readonly place: Place;
  /** The first offset that is not known to be stored. */
  readonly unstored: bigint;
  /** Resolves with `unstored` when no INSERT is under way any more: one that has begun may succeed after the generation. */
  readonly settled: Promise<bigint>;
  /** The last known end of its log. */
  readonly logEnd: bigint;
  /** Kafka had an offset of it. Kafka deletes that with the topic. */
  readonly hasCommitted: boolean;
  /** Id of the topic that the log belongs to; undefined while it is unknown. */
  readonly logId?: string | undefined;
}

/** The messages that a log had lost when it was replaced, from the first unstored one to the last known end. */
export interface FormerRange {
  /** Id of the topic; undefined while it is unknown. */
  readonly id: string | undefined;
  /** True when the topic has another id now. Otherwise its log may go on, without its end. */
  readonly isGone: boolean;
  readonly from: bigint;
  readonly to: bigint;
}

export type CountFormer = (place: Place, range: FormerRange) => void;

/**
 * Finds the losses of deleted topics: in each partition, from its first unstored offset to the last known end of its
 * log. The last owner of the partition counts them, once.
 */
export class FormerLogs {
  /** Partitions of earlier generations of which this process was the last owner. */
  private readonly left = new Map<string, LastState>();

  constructor(
    private readonly ends: KnownEnds,
    private readonly counted: CountFormer,
  ) {}

  /** Remembers the state of a partition at the end of its generation. */
  leave(state: LastState): void {
    this.left.set(keyOf(state.place), state);
  }

  /** Checks an assigned partition against its commit and log. Returns true when its log is known to be another one. */
  assign(place: Place, committed: Commit, log: LogRange, logId?: string): boolean {
    const left = this.left.get(keyOf(place));
    this.left.delete(keyOf(place));
    const isOther = isOfOtherLog(committed, log) || (left !== undefined && isOtherThan(left, committed, log, logId));
    if (isOther && left) this.replace(left, log, logId);
    else if (isOther || (this.ends.of(place) ?? 0n) > BigInt(log.high) || this.ends.formerOf(place) !== undefined) {
      this.ends.restart(place);
    }
    return isOther;
  }

  /** Counts the losses of a log that was replaced by the one just read, with the id of its topic. */
  replace(last: LastState, log: LogRange, logId?: string): void {
    const { place, logEnd } = last;
    const seen = this.ends.of(place) ?? 0n;
    // An end that is not beyond the new log may be that of the new log.
    const known = this.ends.formerOf(place) ?? (seen > BigInt(log.high) ? seen : 0n);
    this.count(last, known > logEnd ? known : logEnd, logId);
  }

  /** Ends a look at all logs and ids. Left partitions belong to others now, unless their log was replaced. */
  looked(ids: ReadonlyMap<string, string> = new Map()): void {
    for (const [key, last] of this.left) {
      const logId = ids.get(last.place.topic);
      const former = this.ends.formerOf(last.place) ?? (areOther(last.logId, logId) ? last.logEnd : undefined);
      if (former !== undefined) this.count(last, former > last.logEnd ? former : last.logEnd, logId);
      this.left.delete(key);
    }
  }

  private count({ place, settled, logId }: LastState, to: bigint, presentId: string | undefined): void {
    this.ends.restart(place);
    const isGone = areOther(logId, presentId);
    void settled.then((from) => this.counted(place, { id: logId, isGone, from, to }));
  }
}

/** True when both ids are known and differ. */
const areOther = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one !== other;

/** Kafka's answer when it has no offset. kafkajs commits others below 0. */
const none = '-1';

const isOtherThan = (left: LastState, { offset }: Commit, { high }: LogRange, logId: string | undefined): boolean =>
  areOther(left.logId, logId) || (left.hasCommitted && offset === none) || left.unstored > BigInt(high);

const keyOf = ({ topic, partition }: Place): string => `${topic}:${partition}`;
