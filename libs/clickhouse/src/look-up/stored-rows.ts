import { type Row, type RowBlock } from '../rows/encode-rows.js';
import { type LookUp } from './look-up.js';

/** The rows of a block that the table does not hold yet, by partition, offset and timestamp. */
export async function missingRows<R extends Row>(
  lookUp: LookUp,
  table: string,
  block: RowBlock<R>,
): Promise<readonly R[]> {
  const [first, last] = [block.rows[0], block.rows.at(-1)];
  if (!first || !last) return [];
  const storedPlaces = await lookUp<{ place: string }>(
    table,
    `SELECT DISTINCT concat(toString(kafka_offset), '@', toString(toUnixTimestamp64Milli(kafka_timestamp))) AS place
     FROM ${table}
     WHERE kafka_partition = ${block.partition} AND kafka_offset BETWEEN ${first.offset} AND ${last.offset}`,
  );
  if (storedPlaces.length === 0) return block.rows;
  const places = new Set(storedPlaces.map(({ place }) => place));
  return block.rows.filter(({ offset, timestamp }) => !places.has(`${offset}@${timestamp}`));
}
