import { type Row, type RowBlock } from './encode-rows.js';
import { type LookUp } from './look-up.js';
import { messageIdOf } from './message-id.js';

/** 36 bytes each, and ClickHouse takes queries of up to 256 KiB. */
const idsPerQuery = 5_000;

/** The rows of a block that the table does not hold yet, by partition, offset and timestamp. */
export async function missingRows<R extends Row>(
  lookUp: LookUp,
  table: string,
  block: RowBlock<R>,
): Promise<readonly R[]> {
  const [first, last] = [block.rows[0], block.rows.at(-1)];
  if (!first || !last) return [];
  const held = await lookUp<{ place: string }>(
    table,
    `SELECT DISTINCT concat(toString(kafka_offset), '@', toString(toUnixTimestamp64Milli(kafka_timestamp))) AS place
     FROM ${table}
     WHERE kafka_partition = ${block.partition} AND kafka_offset BETWEEN ${first.offset} AND ${last.offset}`,
  );
  if (held.length === 0) return block.rows;
  const places = new Set(held.map(({ place }) => place));
  return block.rows.filter(({ offset, timestamp }) => !places.has(`${offset}@${timestamp}`));
}

/**
 * The rows without those of the possible repeats whose message is in the table already, or in the block before.
 * Everything else stays, and a block without possible repeats is not asked about at all.
 */
export async function withoutRepeats(
  lookUp: LookUp,
  table: string,
  rows: readonly Row[],
  possibleRepeats: readonly Row[],
): Promise<readonly Row[]> {
  const suspects = new Set(possibleRepeats);
  if (!rows.some((row) => suspects.has(row))) return rows;
  const ids = new Map(rows.map((row) => [row, messageIdOf(row.value)]));
  const asked = rows.filter((row) => suspects.has(row)).flatMap((row) => ids.get(row) ?? []);
  const seen = await storedIds(lookUp, table, [...new Set(asked)]);
  // A first sending comes before its repeats in the log, but it need not be marked.
  return rows.filter((row) => {
    const id = ids.get(row);
    if (id === undefined) return true;
    const isRepeat = suspects.has(row) && seen.has(id);
    seen.add(id);
    return !isRepeat;
  });
}

async function storedIds(lookUp: LookUp, table: string, ids: readonly string[]): Promise<Set<string>> {
  const stored = new Set<string>();
  for (let from = 0; from < ids.length; from += idsPerQuery) {
    const list = ids.slice(from, from + idsPerQuery).map((id) => `'${id}'`);
    const found = await lookUp<{ id: string }>(
      table,
      `SELECT DISTINCT toString(message_id) AS id FROM ${table} WHERE message_id IN (${list.join(',')})`,
    );
    for (const { id } of found) stored.add(id);
  }
  return stored;
}
