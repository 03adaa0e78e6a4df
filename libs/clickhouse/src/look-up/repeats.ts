import { randomUUID } from 'node:crypto';
import { AskedMessages, listDays, type MessageGroup, type SharedValue, findSpan } from './asked-messages.js';
import { type Row } from '../rows/encode-rows.js';
import { type AskedTable, type LookUp } from './look-up.js';
import { readArrivedMessage, readMessageId, readMessage } from './message-place.js';
import { type MessagePlace, type MessageIdentity } from '../rows/message-identity.js';

/** The columns of a table's order by which messages are looked up in it. */
interface RepeatIndex {
  readonly readMessage: (value: Buffer) => MessageIdentity;
  /** Column with the time of a message's place. */
  readonly time: string;
  /** Column with another value that all copies of a message have in common. */
  readonly share: string;
  /** Type of a share in the data of a query, and the expression that reads it. */
  readonly shareType: string;
  readonly shareRead: string;
  readonly readShare: (place: MessagePlace) => SharedValue | undefined;
}

/** A share as text without line breaks, whatever a producer put into it. */
const encodeShare = (share: SharedValue): string =>
  typeof share === 'number' ? String(share) : Buffer.from(share).toString('hex');

const byPerson: RepeatIndex = {
  readMessage,
  time: 'timestamp',
  share: 'repeat_bucket',
  shareType: 'UInt8',
  shareRead: 'share',
  readShare: ({ bucket }) => bucket,
};

const byArrival: RepeatIndex = {
  readMessage: readArrivedMessage,
  time: 'received_at',
  share: 'source_id',
  shareType: 'String',
  shareRead: 'unhex(share)',
  readShare: ({ sourceId }) => sourceId,
};

const indexes = new Map([
  ['events', byPerson],
  ['identifies', byPerson],
  ['ad_requests', byArrival],
  ['refused_messages', byArrival],
  ['canary_probes', byArrival],
]);

/** Few enough for the Bloom filter of message_id to skip most of a table. */
const idsPerBlindQuery = 100;

/**
 * Removes the possible repeats whose message is already in the table or earlier in the block, and keeps all other rows.
 * A block without possible repeats needs no query.
 */
export async function withoutRepeats<R extends Row>(
  lookUp: LookUp,
  table: string,
  rows: readonly R[],
  possibleRepeats: readonly R[],
): Promise<readonly R[]> {
  if (possibleRepeats.length === 0 || rows.length === 0) return rows;
  const index = indexes.get(table);
  const isSuspect = suspicion(rows, possibleRepeats);
  const messages = new AskedMessages();
  const ids = rows.map((row) => {
    if (!isSuspect(row)) return readMessageId(row.value);
    const { id, place } = index?.readMessage(row.value) ?? { id: readMessageId(row.value), place: undefined };
    if (id !== undefined) messages.add(id, place, place && index?.readShare(place));
    return id;
  });
  const knownIds = await storedIds(lookUp, table, messages);
  // The first copy of a message comes before its repeats in the log and need not be marked, so all ids are collected.
  return rows.filter((row, i) => {
    const id = ids[i];
    if (id === undefined) return true;
    // Comparing sizes is cheaper than a second search in the set.
    const sizeBefore = knownIds.size;
    knownIds.add(id);
    return knownIds.size > sizeBefore || !isSuspect(row);
  });
}

/** True when the table answers the look-up of another message: if so, a refused look-up is the fault of its rows. */
export async function canLookUp(lookUp: LookUp, table: string): Promise<boolean> {
  const messages = new AskedMessages();
  const place: MessagePlace = { bucket: 0, sourceId: '', minute: Math.floor(Date.now() / minuteMs), hasOwnTime: true };
  messages.add(randomUUID(), place, indexes.get(table)?.readShare(place));
  try {
    await storedIds(lookUp, table, messages);
    return true;
  } catch {
    return false;
  }
}

/** Returns a test of whether a row is among the suspects. If all rows are, as is usual, it needs no set. */
function suspicion<R>(rows: readonly R[], suspects: readonly R[]): (row: R) => boolean {
  const areAll = rows.length === suspects.length && rows.every((row, i) => row === suspects[i]);
  if (areAll) return () => true;
  const among = new Set(suspects);
  return (row) => among.has(row);
}

async function storedIds(lookUp: LookUp, table: string, { groups, blind }: AskedMessages): Promise<Set<string>> {
  const stored = new Set<string>();
  const index = indexes.get(table);
  if (index) for (const group of groups) await addStoredIds(lookUp, table, group.ids, stored, makePlaces(index, group));
  for (let start = 0; start < blind.length; start += idsPerBlindQuery)
    await addStoredIds(lookUp, table, blind.slice(start, start + idsPerBlindQuery), stored);
  return stored;
}

/** Places as data, and the condition that reads them. */
interface Places {
  readonly condition: string;
  readonly tables: readonly AskedTable[];
}

/** Adds to `stored` the ids that the table holds. */
async function addStoredIds(
  lookUp: LookUp,
  table: string,
  ids: readonly string[],
  stored: Set<string>,
  places?: Places,
): Promise<void> {
  const where = [...(places ? [places.condition] : []), 'message_id IN (SELECT message_id FROM asked)'];
  const idTable: AskedTable = { name: 'asked', structure: 'message_id UUID', rows: ids };
  const rows = await lookUp<{ id: string }>(
    table,
    `SELECT toString(message_id) AS id FROM ${table} WHERE ${where.join(' AND ')}`,
    { tables: [idTable, ...(places?.tables ?? [])], settings: places ? withinPlaces : {} },
  );
  for (const { id } of rows) stored.add(id);
}

/**
 * Switches off indexes that do not help to find thousands of ids within their places: the Bloom filter would match
 * everywhere, and checking it takes longer than reading the rows. Minutes are compared as DateTime64, because DateTime
 * ends in 2106.
 */
const withinPlaces = { use_skip_indexes: 0, enable_extended_results_for_datetime_functions: 1 } as const;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/**
 * Places as sets for which ClickHouse searches the order of the table: a place costs no more than its own minute or
 * days, however far it is from the others.
 */
function makePlaces({ time, share, shareType, shareRead }: RepeatIndex, { minutes, arrivals }: MessageGroup): Places {
  const moment = (ms: string): string => `fromUnixTimestamp64Milli(${ms}, 'UTC')`;
  const conditions: string[] = [];
  const tables: AskedTable[] = [];
  if (minutes.size > 0) {
    tables.push({ name: 'minutes', structure: `share ${shareType}, minute Int64`, rows: formatPlaces(minutes) });
    const places = `SELECT toDate(at), share, toStartOfMinute(at)
      FROM (SELECT ${moment(`minute * ${minuteMs}`)} AS at, ${shareRead} AS share FROM minutes)`;
    conditions.push(`(toDate(${time}), ${share}, toStartOfMinute(${time})) IN (${places})`);
  }
  if (arrivals.size > 0) {
    const days = new Map(
      Array.from(arrivals, ([sharedValue, minutesOfArrival]) => [sharedValue, listDays(minutesOfArrival)]),
    );
    tables.push({ name: 'days', structure: `share ${shareType}, day Int64`, rows: formatPlaces(days) });
    const { from, to } = findSpan(arrivals);
    const places = `SELECT toDate(${moment(`day * ${dayMs}`)}), ${shareRead} FROM days`;
    const within = `${time} >= ${moment(String(from * minuteMs))} AND ${time} < ${moment(String((to + 1) * minuteMs))}`;
    conditions.push(`((toDate(${time}), ${share}) IN (${places}) AND ${within})`);
  }
  return { condition: `(${conditions.join(' OR ')})`, tables };
}

const formatPlaces = (places: ReadonlyMap<SharedValue, ReadonlySet<number>>): string[] =>
  Array.from(places, ([share, times]) => {
    const text = encodeShare(share);
    return Array.from(times, (time) => `${text}\t${time}`);
  }).flat();
