import { type Place } from '../protocol/block.js';
import { type FormerRange, type OnLoss } from './former-logs.js';
import { type Settled } from './settled-offsets.js';
import { type TopicEnds } from './topic-ends.js';

/** Time for which the last owner of a partition is expected to count by itself what its topic took with it. */
const orphanedMs = 30_000;
/** Upper bound of remembered partitions of former logs. */
const maxCounted = 10_000;

/** A partition with losses. */
interface Counted {
  readonly place: Place;
  /** The offset up to which they are counted. */
  readonly to: bigint;
  /** False while its log may go on: later ends of it are no losses. */
  readonly isGone: boolean;
}

/** Counts what deleted topics took with them, up to the end that Kafka has acknowledged, however late that is told. */
export class LateLosses {
  private readonly counted = new Map<string, Counted>();
  /** Times at which partitions were first seen that nobody has counted, by log, partition and range. */
  private orphans = new Map<string, number>();

  /** @param settled is told the offset up to which a partition is counted */
  constructor(
    private readonly ends: Pick<TopicEnds, 'of' | 'unsettled'>,
    private readonly lost: OnLoss,
    private readonly settled: (one: Settled) => void,
  ) {}

  /** Counts messages that are gone, up to the end that this process or a publisher knew. No message counts twice. */
  count(place: Place, { id, isGone, from, to }: FormerRange): void {
    if (id === undefined) {
      this.loss(place, from, to);
      return;
    }
    const begin = later(this.counted.get(keyOf(id, place.partition))?.to, from);
    const end = isGone ? later(this.ends.of(id, place.partition), to) : to;
    this.loss(place, begin, end);
    this.remember(id, { place, to: later(begin, end), isGone });
  }

  /** Takes note that a log is known to be longer than before. */
  raised(id: string, partition: number, end: bigint): void {
    const former = this.counted.get(keyOf(id, partition));
    if (!former?.isGone || end <= former.to) return;
    this.loss(former.place, former.to, end);
    this.remember(id, { ...former, to: end });
  }

  /**
   * Counts what nobody has counted: the process that had read the log has ended.
   * @param present the topics with their ids, just read; @param isOurs tells whether this process has the partition
   */
  look(present: ReadonlyMap<string, string>, isOurs: (place: Place) => boolean, now = performance.now()): void {
    const seen = new Map<string, number>();
    for (const [topic, presentId] of present) {
      for (const { id, partition, from, to } of this.ends.unsettled(topic, presentId)) {
        const place = { topic, partition };
        const key = keyOf(id, partition);
        if (this.counted.get(key)?.isGone || !isOurs(place)) continue;
        const name = `${key}:${from}-${to}`;
        const since = this.orphans.get(name) ?? now;
        if (now - since < orphanedMs) seen.set(name, since);
        else this.count(place, { id, isGone: true, from, to });
      }
    }
    this.orphans = seen;
  }

  private loss(place: Place, from: bigint, to: bigint): void {
    if (from < to) this.lost(place, { from, to, state: 'topic deleted' });
  }

  private remember(id: string, counted: Counted): void {
    const { place, to, isGone } = counted;
    const [oldest] = this.counted.keys();
    if (this.counted.size >= maxCounted && oldest !== undefined) this.counted.delete(oldest);
    this.counted.set(keyOf(id, place.partition), counted);
    if (isGone) this.settled({ ...place, logId: id, settled: to });
  }
}

const later = (one: bigint | undefined, other: bigint): bigint => (one !== undefined && one > other ? one : other);

const keyOf = (id: string, partition: number): string => `${id}:${partition}`;
