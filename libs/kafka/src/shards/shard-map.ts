/** Time for which replaced versions count: longer than data topics are kept and than any look-up reaches back. */
export const shardWindowMs = 31 * 24 * 60 * 60_000;

/** A partition's slot is its number modulo this, which most small numbers of shards divide. */
const slotCount = 120;

/** One version of the map of shards. It holds until the next one is written. */
export interface MapVersion {
  /** Counted from 1. */
  readonly version: number;
  /** Time at which it was written, milliseconds since 1970. */
  readonly at: number;
  /** Shards with a copy of the small tables. Those without a slot are being drained. */
  readonly shards: readonly string[];
  /** The shard that stores the blocks of each slot. */
  readonly slots: readonly string[];
  /** Server that held all earlier rows, in the first version only; absent if there was none. */
  readonly origin?: string;
}

/** A number of partitions of a topic, and when it was first seen. */
export interface PartitionCount {
  readonly topic: string;
  readonly partitions: number;
  readonly at: number;
}

interface PartitionOfTopic {
  readonly topic: string;
  readonly partition: number;
}

/**
 * All versions of the map of shards, and the numbers of partitions that topics had. It follows from the records of
 * `shards.v1` alone, so that all processes that have read the same records agree. No clock, no I/O.
 */
export class ShardMap {
  private readonly versions: MapVersion[] = [];
  private readonly counts = new Map<string, PartitionCount[]>();

  /** The newest version; undefined while there is none. */
  get newest(): MapVersion | undefined {
    return this.versions.at(-1);
  }

  /** The shard of blocks that name none: they predate the map of shards. */
  get origin(): string | undefined {
    return this.versions[0]?.origin ?? this.versions[0]?.shards[0];
  }

  /** Applies a record. If several claim the same version, every reader keeps the first. */
  takeVersion(version: MapVersion): void {
    if (version.version === (this.newest?.version ?? 0) + 1) this.versions.push(version);
  }

  takeCount(count: PartitionCount): void {
    const topicCounts = this.counts.get(count.topic) ?? [];
    this.counts.set(count.topic, topicCounts);
    if (topicCounts.at(-1)?.partitions !== count.partitions) topicCounts.push(count);
  }

  /** The last known number of partitions of a topic. */
  partitionCount(topic: string): number | undefined {
    return this.counts.get(topic)?.at(-1)?.partitions;
  }

  /** The shard that stores the blocks of a partition that begin now. */
  shardFor(partition: number): string | undefined {
    return this.newest && shardIn(this.newest, partition);
  }

  /**
   * The shards on which messages of a partition may lie, or earlier copies of them: its own, and those of versions that
   * were replaced within the window. When the topic's number of partitions has changed within it, copies may lie in any
   * other partition, so all shards of these versions count.
   */
  mayLieOn({ topic, partition }: PartitionOfTopic, partitions: number | undefined, now: number): string[] {
    const counts = this.counts.get(topic) ?? [];
    const isOther = partitions !== undefined && counts.length > 0 && counts.at(-1)?.partitions !== partitions;
    const hasChanged = isOther || counts.slice(1).some(({ at }) => at > now - shardWindowMs);
    const shards = new Set<string>();
    for (const version of this.versionsSince(now - shardWindowMs)) {
      if (hasChanged) for (const shard of new Set(version.slots)) shards.add(shard);
      else shards.add(shardIn(version, partition));
    }
    return [...shards];
  }

  /** The next version for these shards; undefined when nothing would change. */
  next(shards: readonly string[], drained: readonly string[], time: number, origin?: string): MapVersion | undefined {
    const { newest } = this;
    const takers = shards.filter((shard) => !drained.includes(shard));
    const slots = shareOut(newest?.slots ?? (origin === undefined ? [] : allSlotsTo(origin)), takers);
    if (newest && sameNames(newest.shards, shards) && slots.every((shard, i) => shard === newest.slots[i])) {
      return undefined;
    }
    const version = { version: (newest?.version ?? 0) + 1, at: time, shards: [...shards], slots };
    return newest || origin === undefined ? version : { ...version, origin };
  }

  /** Time until which rows may be looked up on a shard: Infinity while it has partitions, 0 when it never had one. */
  inUseUntil(shard: string): number {
    const last = this.versions.findLastIndex(({ slots }) => slots.includes(shard));
    const [first] = this.versions;
    if (last < 0) return first?.origin === shard ? first.at + shardWindowMs : 0;
    return (this.versions[last + 1]?.at ?? Infinity) + shardWindowMs;
  }

  /** The versions in use at this time or later. Before the first one there was one server, or none. */
  private versionsSince(time: number): Pick<MapVersion, 'slots'>[] {
    const [first] = this.versions;
    const inUse = this.versions.filter((_, i) => (this.versions[i + 1]?.at ?? Infinity) > time);
    if (first?.origin === undefined || first.at <= time) return inUse;
    return [{ slots: allSlotsTo(first.origin) }, ...inUse];
  }
}

/**
 * Assigns slots to shards so that the first n slots are spread evenly for every n. A slot keeps its shard unless that
 * has its share already: adding a shard moves only what the new one gets.
 */
export function shareOut(previousSlots: readonly string[], shards: readonly string[]): string[] {
  const counts = new Map(shards.map((shard) => [shard, 0]));
  return Array.from({ length: slotCount }, (_, i) => {
    const share = Math.ceil((i + 1) / shards.length);
    const owner = previousSlots[i];
    const stays = owner !== undefined && (counts.get(owner) ?? Infinity) < share;
    const shard = stays ? owner : fewest(counts);
    counts.set(shard, (counts.get(shard) ?? 0) + 1);
    return shard;
  });
}

/** The shard with the fewest slots; a tie goes to the last one, which is the newest. */
function fewest(counts: ReadonlyMap<string, number>): string {
  const [newest, ...olderShards] = [...counts].reverse();
  if (!newest) throw new RangeError('at least one shard must take rows');
  return olderShards.reduce((smallest, entry) => (entry[1] < smallest[1] ? entry : smallest), newest)[0];
}

const shardIn = ({ slots }: Pick<MapVersion, 'slots'>, partition: number): string => slots[partition % slotCount] ?? '';

const allSlotsTo = (shard: string): string[] => Array.from({ length: slotCount }, () => shard);

const sameNames = (names: readonly string[], otherNames: readonly string[]): boolean =>
  names.length === otherNames.length && names.every((name) => otherNames.includes(name));
