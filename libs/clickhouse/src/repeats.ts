import { AskedMessages, type MessageGroup, windowsOf } from './asked-messages.js';
import { type Row } from './encode-rows.js';
import { type LookUp } from './look-up.js';
import { arrivedMessageOf, messageIdOf, messageOf } from './message-place.js';
import { type MessagePlace, type RowMessage } from './row-message.js';
import { joinWindows } from './time-window.js';

/** The columns of a table's order by which messages are looked up in it. */
interface RepeatIndex {
  readonly messageOf: (value: Buffer) => RowMessage;
  /** Column with the time of a message's place. */
  readonly time: string;
  /** Column with another value that all copies of a message have in common. */
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

/** Few enough for the Bloom filter of message_id to skip most of a table. */
const idsPerBlindQuery = 100;
const windowsPerQuery = 16;

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
  const asked = new AskedMessages();
  const ids = rows.map((row) => {
    if (!isSuspect(row)) return messageIdOf(row.value);
    const { id, place } = index?.messageOf(row.value) ?? { id: messageIdOf(row.value), place: undefined };
    if (id !== undefined) asked.add(id, place, place && index?.shareOf(place));
    return id;
  });
  const seen = await storedIds(lookUp, table, asked);
  // The first copy of a message comes before its repeats in the log and need not be marked, so all ids are collected.
  return rows.filter((row, i) => {
    const id = ids[i];
    if (id === undefined) return true;
    // Comparing sizes is cheaper than a second search in the set.
    const before = seen.size;
    seen.add(id);
    return seen.size > before || !isSuspect(row);
  });
}

/** A test of whether a row is among the suspects. The usual case, that all rows are, needs no set. */
function suspicion<R>(rows: readonly R[], suspects: readonly R[]): (row: R) => boolean {
  const areAll = rows.length === suspects.length && rows.every((row, i) => row === suspects[i]);
  if (areAll) return () => true;
  const among = new Set(suspects);
  return (row) => among.has(row);
}

async function storedIds(lookUp: LookUp, table: string, { groups, blind }: AskedMessages): Promise<Set<string>> {
  const stored = new Set<string>();
  const index = indexes.get(table);
  if (index) for (const group of groups) await find(lookUp, table, group.ids, conditionOf(index, group), stored);
  for (let at = 0; at < blind.length; at += idsPerBlindQuery)
    await find(lookUp, table, blind.slice(at, at + idsPerBlindQuery), undefined, stored);
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
    { ids, settings: condition === undefined ? {} : withinPlaces },
  );
  for (const { id } of found) stored.add(id);
}

/**
 * Switches indexes off that do not help to find thousands of ids within their places. The Bloom filter would match
 * everywhere, and checking it takes longer than reading the rows. The ids are not in the primary key, so sorting them
 * for it would be wasted.
 */
const withinPlaces = { use_skip_indexes: 0, use_index_for_in_with_subqueries: 0 } as const;

function conditionOf({ time, share }: RepeatIndex, { shares, ...times }: MessageGroup): string {
  const moment = (ms: number): string => `fromUnixTimestamp64Milli(${ms}, 'UTC')`;
  const within = joinWindows(windowsOf(times), windowsPerQuery).map(
    ({ from, to }) => `(${time} >= ${moment(from)} AND ${time} <= ${moment(to)})`,
  );
  return `${share} IN (${[...shares].map(literal).join(',')}) AND (${within.join(' OR ')})`;
}
