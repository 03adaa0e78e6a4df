import { parseDateTime } from '@sluice/contracts';
import { type Row } from './encode-rows.js';
import { type LookUp } from './look-up.js';
import { arrivedMessageOf, messageIdOf, messageOf, type MessagePlace, type RowMessage } from './message-place.js';
import { joinWindows, type TimeWindow } from './time-window.js';

/** Describes the order by which a table is asked for messages. */
interface RepeatIndex {
  readonly messageOf: (value: Buffer) => RowMessage;
  /** The column with the time of the message's place. */
  readonly time: string;
  /** The column with what else the copies of a message share. */
  readonly share: string;
  readonly shareOf: (place: MessagePlace) => string | number | undefined;
}

const literal = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replace(/['\\]/g, '\\$&')}'`;

const byPerson: RepeatIndex = {
  messageOf,
  time: 'timestamp',
  share: 'repeat_bucket',
  shareOf: ({ bucket }) => bucket,
};

const byArrival: RepeatIndex = {
  messageOf: arrivedMessageOf,
  time: 'received_at',
  share: 'source_id',
  shareOf: ({ sourceId }) => sourceId,
};

const indexes = new Map([
  ['events', byPerson],
  ['identifies', byPerson],
  ['ad_requests', byArrival],
]);

/** Bounds the memory of one look-up: an id takes some 40 bytes in ClickHouse. */
const idsPerQuery = 50_000;
/** Few enough that the Bloom filter of message_id leaves out most of a table. */
const idsPerBlindQuery = 100;
const windowsPerQuery = 16;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Days back from its arrival in which a message without a time of its own is looked for; docs/api.md promises 8. */
const daysBack = 9;

/**
 * Removes the possible repeats whose message is already in the table, or earlier in the block. All other rows stay; a
 * block without possible repeats needs no query.
 */
export async function withoutRepeats(
  lookUp: LookUp,
  table: string,
  rows: readonly Row[],
  possibleRepeats: readonly Row[],
): Promise<readonly Row[]> {
  const suspects = new Set(possibleRepeats);
  const isSuspect = rows.map((row) => suspects.has(row));
  if (!isSuspect.includes(true)) return rows;
  const index = indexes.get(table);
  const asked: Suspect[] = [];
  const ids = rows.map(({ value }, i) => {
    if (!isSuspect[i]) return messageIdOf(value);
    const { id, place } = index?.messageOf(value) ?? { id: messageIdOf(value), place: undefined };
    if (id !== undefined) asked.push({ id, place });
    return id;
  });
  const seen = await storedIds(lookUp, table, asked);
  // A first sending comes before its repeats in the log, but it need not be marked.
  return rows.filter((_, i) => {
    const id = ids[i];
    if (id === undefined) return true;
    const isRepeat = isSuspect[i] && seen.has(id);
    seen.add(id);
    return !isRepeat;
  });
}

/** A message to be looked for. Copies of one message are all asked for: their times may differ. */
interface Suspect {
  readonly id: string;
  /** Undefined when the message is found by its id alone, which takes longer. */
  readonly place: MessagePlace | undefined;
}

async function storedIds(lookUp: LookUp, table: string, suspects: readonly Suspect[]): Promise<Set<string>> {
  const stored = new Set<string>();
  const index = indexes.get(table);
  for (let from = 0; from < suspects.length; from += idsPerQuery) {
    const piece = suspects.slice(from, from + idsPerQuery);
    const { placed, blind } = index ? sortByPlace(index, piece) : { placed: undefined, blind: piece };
    if (index && placed) await find(lookUp, table, placed.ids, conditionOf(index, placed), stored);
    for (let at = 0; at < blind.length; at += idsPerBlindQuery) {
      const ids = blind.slice(at, at + idsPerBlindQuery).map(({ id }) => id);
      await find(lookUp, table, ids, undefined, stored);
    }
  }
  return stored;
}

/** Adds those of the ids that the table holds. */
async function find(
  lookUp: LookUp,
  table: string,
  ids: readonly string[],
  condition: string | undefined,
  stored: Set<string>,
): Promise<void> {
  const where = [...(condition === undefined ? [] : [condition]), 'message_id IN (SELECT message_id FROM asked)'];
  const found = await lookUp<{ id: string }>(
    table,
    `SELECT toString(message_id) AS id FROM ${table} WHERE ${where.join(' AND ')}`,
    // The Bloom filter says "perhaps" to thousands of ids, and takes longer to say it than reading takes.
    { ids, settings: condition === undefined ? {} : { use_skip_indexes: 0 } },
  );
  for (const { id } of found) stored.add(id);
}

interface Placed {
  readonly ids: string[];
  readonly shares: Set<string | number>;
  readonly windows: TimeWindow[];
}

/** Splits messages into those with a place and those found by their id alone, which takes longer. */
function sortByPlace(index: RepeatIndex, suspects: readonly Suspect[]): { placed?: Placed; blind: Suspect[] } {
  const placed: Placed = { ids: [], shares: new Set(), windows: [] };
  const blind: Suspect[] = [];
  const windows = new Map<string, TimeWindow | undefined>();
  for (const suspect of suspects) {
    const { place } = suspect;
    const share = place && index.shareOf(place);
    const key = place?.hasOwnTime === false ? `${place.minute} of arrival` : (place?.minute ?? '');
    if (place && !windows.has(key)) windows.set(key, windowOf(place));
    if (share === undefined || windows.get(key) === undefined) blind.push(suspect);
    else {
      placed.ids.push(suspect.id);
      placed.shares.add(share);
    }
  }
  for (const window of windows.values()) if (window) placed.windows.push(window);
  return { ...(placed.ids.length > 0 && { placed }), blind };
}

/** Window of the times that copies of the message may have; undefined for a time that does not exist. */
function windowOf({ minute, hasOwnTime }: MessagePlace): TimeWindow | undefined {
  const start = parseDateTime(`${minute}:00.000Z`);
  if (Number.isNaN(start)) return undefined;
  const [from, to] = [start, start + minuteMs - 1];
  return hasOwnTime ? { from, to } : { from: from - daysBack * dayMs, to: to + dayMs };
}

function conditionOf({ time, share }: RepeatIndex, { shares, windows }: Placed): string {
  const moment = (ms: number): string => `fromUnixTimestamp64Milli(${ms}, 'UTC')`;
  const within = joinWindows(windows, windowsPerQuery).map(
    ({ from, to }) => `(${time} >= ${moment(from)} AND ${time} <= ${moment(to)})`,
  );
  return `${share} IN (${[...shares].map(literal).join(',')}) AND (${within.join(' OR ')})`;
}
