import { type BlockRange } from './block.js';

/** An offset with metadata, as Kafka keeps it for a partition: an intent names the block that begins there. */
export interface Commit {
  readonly offset: string;
  readonly metadata: string | null;
}

/** The offsets that the log of a partition has: from `low` up to, but not including, `high`. */
export interface LogRange {
  readonly low: string;
  readonly high: string;
}

/** The start of a partition that was just assigned. */
export interface Start {
  readonly position: bigint;
  /** The block that was begun here and is not confirmed. It is repeated as it was. */
  readonly intent?: BlockRange;
  /** End of the log at assignment. Messages below it may be stored already. */
  readonly replayBelow: bigint;
  /** True when retention moved the position past the commit: the position must then be committed with nothing stored. */
  readonly isSkipped?: boolean;
}

/** Offsets from `from` up to, but not including, `to`, that were deleted before they were known to be stored. */
export interface Loss {
  readonly from: bigint;
  readonly to: bigint;
  /**
   * - `waiting`: retention took them before any process had begun to store them.
   * - `under way`: retention took them; their block was begun, and they may be stored.
   * - `topic deleted`: they went with their topic; the first of them may be stored.
   */
  readonly state: 'waiting' | 'under way' | 'topic deleted';
}

/**
 * Announces the block that is about to be stored, and confirms everything before it.
 * @param map the newest version of the map of shards that its sender knows
 */
export const makeIntent = ({ first, last, timestamp, shard }: BlockRange, map?: number): Commit => {
  const words = [`block:${last}@${timestamp}`, ...(shard === undefined ? [] : [`shard=${shard}`]), ...mapWords(map)];
  return { offset: first, metadata: words.join(' ') };
};

/** Confirms that everything before the position is stored, and that no block is under way. */
export const makeConfirmation = (position: bigint, map?: number): Commit => ({
  offset: String(position),
  metadata: mapWords(map)[0] ?? null,
});

const mapWords = (map: number | undefined): string[] => (map === undefined ? [] : [`map=${map}`]);

/** The version of the map of shards that the sender of a commit knew; 0 if it knew none. */
export const parseMapVersion = ({ metadata }: Commit): number =>
  Number(/(?:^| )map=(\d{1,9})$/.exec(metadata ?? '')?.[1] ?? 0);

/** A start at the beginning of the log, for when the commit says nothing about this log. */
export const beginning = ({ low, high }: LogRange): Start => ({ position: BigInt(low), replayBelow: BigInt(high) });

/** The start that follows from commit and log. A commit that does not fit the log leads to the log's beginning. */
export function findStart({ offset, metadata }: Commit, log: LogRange): Start {
  const [first, low, high] = [BigInt(offset), BigInt(log.low), BigInt(log.high)];
  if (first < 0n || first > high) return beginning(log);
  const intent = parseIntent(offset, metadata);
  // Retention may have taken the first messages of the block, or all of it.
  const position = first < low ? low : first;
  if (intent === undefined || BigInt(intent.last) < low) {
    return { position, replayBelow: high, ...(first < low && { isSkipped: true }) };
  }
  if (BigInt(intent.last) >= high) return beginning(log);
  return { position, intent, replayBelow: high };
}

/**
 * Ranges that are not stored according to the commit, and that retention took. None without a usable commit: losses of
 * a group that never committed, or whose commits expired, are unknown.
 */
export function findLosses({ offset, metadata }: Commit, log: LogRange): Loss[] {
  const [first, low, high] = [BigInt(offset), BigInt(log.low), BigInt(log.high)];
  const intent = parseIntent(offset, metadata);
  const last = intent && BigInt(intent.last);
  if (first < 0n || first >= low || first > high || (last !== undefined && last >= high)) return [];
  const end = last === undefined ? first : last + 1n;
  const underWay: Loss = { from: first, to: end < low ? end : low, state: 'under way' };
  const waiting: Loss = { from: end, to: low, state: 'waiting' };
  return [underWay, waiting].filter(({ from, to }) => from < to);
}

/** True when the commit lies beyond the log: the topic was recreated. */
export function isOfOtherLog({ offset, metadata }: Commit, { high }: LogRange): boolean {
  const last = parseIntent(offset, metadata)?.last;
  return BigInt(offset) > BigInt(high) || (last !== undefined && BigInt(last) >= BigInt(high));
}

function parseIntent(first: string, metadata: string | null): BlockRange | undefined {
  const match = /^block:(\d+)@(-?\d+)(?: shard=([\w-]+))?(?: map=\d+)?$/.exec(metadata ?? '');
  const [, last, timestamp, shard] = match ?? [];
  if (last === undefined || timestamp === undefined) return undefined;
  return { first, last, timestamp, ...(shard !== undefined && { shard }) };
}
