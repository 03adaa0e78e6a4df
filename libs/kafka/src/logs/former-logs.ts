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
}

/**
 * Counts the losses of deleted topics: in each partition, from its first unstored offset to the last known end of its
 * log. The last owner of the partition counts them, once; messages beyond that end are not counted.
 */
export class FormerLogs {
  /** Partitions of earlier generations of which this process was the last owner. */
  private readonly left = new Map<string, LastState>();

  constructor(
    private readonly ends: KnownEnds,
    private readonly lost: OnLoss,
  ) {}

  /** Remembers the state of a partition at the end of its generation. */
  leave(state: LastState): void {
    this.left.set(keyOf(state.place), state);
  }

  /** Checks an assigned partition against its commit and log. Returns true when its log is known to be another one. */
  assign(place: Place, committed: Commit, log: LogRange): boolean {
    const left = this.left.get(keyOf(place));
    this.left.delete(keyOf(place));
    const isOther = isOfOtherLog(committed, log) || (left !== undefined && isOtherThan(left, committed, log));
    if (isOther && left) this.replace(left, log);
    else if (isOther || (this.ends.of(place) ?? 0n) > BigInt(log.high) || this.ends.formerOf(place) !== undefined) {
      this.ends.startAnew(place);
    }
    return isOther;
  }

  /** Counts the losses of a log that was replaced by the one just read. */
  replace(last: LastState, log: LogRange): void {
    const { place, logEnd } = last;
    const seen = this.ends.of(place) ?? 0n;
    // An end that is not beyond the new log may be that of the new log.
    const known = this.ends.formerOf(place) ?? (seen > BigInt(log.high) ? seen : 0n);
    this.count(last, known > logEnd ? known : logEnd);
  }

  /** Ends a look at all logs. Left partitions belong to others now, unless their log was replaced. */
  looked(): void {
    for (const [key, last] of this.left) {
      const former = this.ends.formerOf(last.place);
      if (former !== undefined) this.count(last, former > last.logEnd ? former : last.logEnd);
      this.left.delete(key);
    }
  }

  private count({ place, settled }: LastState, to: bigint): void {
    this.ends.startAnew(place);
    void settled.then((from) => {
      if (from < to) this.lost(place, { from, to, state: 'topic deleted' });
    });
  }
}

/** Kafka's answer when it has no offset. kafkajs commits others below 0. */
const none = '-1';

const isOtherThan = (left: LastState, { offset }: Commit, { high }: LogRange): boolean =>
  (left.hasCommitted && offset === none) || left.unstored > BigInt(high);

const keyOf = ({ topic, partition }: Place): string => `${topic}:${partition}`;
