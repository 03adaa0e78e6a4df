/** A partition's part in the sharing of memory. Times are milliseconds of `performance.now()`. */
export interface Sharer {
  readonly topic: string;
  /** Memory that its messages take. */
  readonly heldBytes: number;
  /** True when its block fails or has had no answer for too long. */
  readonly isSuspect: boolean;
  /** True until the block of an open intent is complete: a replay needs all of its messages before its INSERT. */
  readonly isReplaying: boolean;
  readonly isFull: boolean;
  readonly isStoring: boolean;
  /** True when its log has more messages. */
  readonly wantsMore: boolean;
  /** True when it can forget its block now and fetch it again later. */
  readonly canLetGo: boolean;
  /** Bytes that letting go would free: those of all messages that are not on their way to the table. */
  readonly looseBytes: number;
  /** Earliest time at which it fetches its block again; undefined while it is not parked. */
  readonly parkedUntil: number | undefined;
  /** Bytes of the block that it last let go; 0 if none, or since a failed step of its topic works again. */
  readonly parkedBytes: number;
  /** Time at which its present try began. */
  readonly heldSince: number;
}

/** The measures that give every partition its share. */
export interface Division<P> {
  /** Partitions that must not be fetched now. */
  readonly closed: ReadonlySet<P>;
  /** Partitions whose blocks are fetched again. */
  readonly comingBack: readonly P[];
  /** Partitions that forget all messages that are not on their way to the table. */
  readonly lettingGo: readonly P[];
  /** Partition whose block is stored before it is full. */
  readonly hurried: P | undefined;
}

/** Share of the buffers for suspects; one of them may always have its block. */
const suspectShare = 1 / 4;
/** Minimum share of all others, even while blocks that wait for an answer hold everything. */
const minShare = 1 / 4;
/** Share that each topic may always have, so that a quiet topic never waits for a busy one. */
const topicShare = 1 / 16;
/** Share of the room below which fetching resumes. */
const resumeShare = 0.8;
/** Duration of a try while parked partitions wait for the memory. */
const tryMs = 15_000;

/**
 * Divides the memory of the buffers. Healthy partitions share all of it. Suspects are fetched only to try parked blocks
 * again; when others need their memory, suspects keep a share and take turns with it: Kafka still has their messages.
 */
export class MemoryShares<P extends Sharer> {
  private isShort = false;

  constructor(private readonly budget: number) {}

  /** Must be called after every change, and about every second. */
  divide(partitions: readonly P[], now = performance.now()): Division<P> {
    const suspects = partitions.filter(({ isSuspect }) => isSuspect);
    const healthy = partitions.filter(({ isSuspect }) => !isSuspect);
    const room = Math.max(this.budget - sumHeldBytes(suspects), this.budget * minShare);
    this.isShort = sumHeldBytes(healthy) > (this.isShort ? room * resumeShare : room);
    const isPressed =
      sumHeldBytes(partitions) > this.budget * resumeShare &&
      healthy.some((partition) => partition.wantsMore && !partition.isFull);
    const lettingGo = isPressed ? this.squeeze(suspects) : [];
    const comingBack = this.selectNextBack(suspects, now);
    return {
      closed: new Set([
        ...suspects.filter((partition) => !isTryingAgain(partition)),
        ...(this.isShort ? this.selectClosed(healthy) : []),
      ]),
      comingBack,
      lettingGo: comingBack.length === 0 ? [...lettingGo, ...this.selectTired(suspects, lettingGo, now)] : lettingGo,
      hurried: this.isShort ? largestAtRest(healthy) : undefined,
    };
  }

  /** Selects partitions, the largest first, until the rest is within the share. */
  private squeeze(suspects: readonly P[]): P[] {
    let heldBytes = sumHeldBytes(suspects);
    const lettingGo: P[] = [];
    const holders = suspects.filter(({ heldBytes }) => heldBytes > 0);
    for (const partition of holders.sort((a, b) => b.looseBytes - a.looseBytes)) {
      const isLast = partition.canLetGo && lettingGo.length === holders.length - 1;
      if (heldBytes <= this.budget * suspectShare || partition.looseBytes === 0 || isLast) break;
      heldBytes -= partition.looseBytes;
      lettingGo.push(partition);
    }
    return lettingGo;
  }

  /** Selects the next suspect to try again: from the topic with the fewest tries under way, the partition due longest. */
  private selectNextBack(suspects: readonly P[], now: number): P[] {
    const holders = suspects.filter(({ heldBytes, isReplaying }) => heldBytes > 0 || isReplaying).filter(isUnparked);
    const countHolders = ({ topic }: P): number => holders.filter((partition) => partition.topic === topic).length;
    const [next] = suspects
      .filter(({ parkedUntil = Infinity }) => parkedUntil <= now)
      .sort((a, b) => countHolders(a) - countHolders(b) || (a.parkedUntil ?? 0) - (b.parkedUntil ?? 0));
    if (!next) return [];
    const fits = sumHeldBytes(holders) + next.parkedBytes <= this.budget * suspectShare;
    return fits || !holders.some(({ parkedBytes }) => parkedBytes > 0) ? [next] : [];
  }

  /** The partition whose try has lasted longest, if longer than `tryMs`, while another waits for its try. */
  private selectTired(suspects: readonly P[], lettingGo: readonly P[], now: number): P[] {
    if (lettingGo.length > 0 || !suspects.some(({ parkedUntil = Infinity }) => parkedUntil <= now)) return [];
    const holders = suspects.filter((partition) => partition.canLetGo && now - partition.heldSince > tryMs);
    return holders.sort((a, b) => a.heldSince - b.heldSince).slice(0, 1);
  }

  /** All partitions except those of topics that hold little and one replay, which needs its whole block to store it. */
  private selectClosed(healthy: readonly P[]): P[] {
    const firstReplaying = healthy.find(({ isReplaying, wantsMore }) => isReplaying && wantsMore);
    const bytesByTopic = new Map<string, number>();
    for (const { topic, heldBytes } of healthy) bytesByTopic.set(topic, (bytesByTopic.get(topic) ?? 0) + heldBytes);
    const isLow = ({ topic }: P): boolean => (bytesByTopic.get(topic) ?? 0) < this.budget * topicShare;
    return healthy.filter((partition) => partition !== firstReplaying && !isLow(partition));
  }
}

const isUnparked = ({ parkedUntil }: Sharer): boolean => parkedUntil === undefined;

/** True while a partition fetches its block again for another try. */
const isTryingAgain = (partition: Sharer): boolean =>
  isUnparked(partition) && partition.parkedBytes > 0 && partition.isReplaying;

const sumHeldBytes = (partitions: readonly Sharer[]): number =>
  partitions.reduce((sum, { heldBytes }) => sum + heldBytes, 0);

/** The largest block to store before it is full, when memory is short and no block is full or being stored. */
function largestAtRest<P extends Sharer>(healthy: readonly P[]): P | undefined {
  if (healthy.some(({ isStoring, isFull }) => isStoring || isFull)) return undefined;
  const [largest] = healthy.filter(({ isReplaying }) => !isReplaying).sort((a, b) => b.heldBytes - a.heldBytes);
  return largest;
}
