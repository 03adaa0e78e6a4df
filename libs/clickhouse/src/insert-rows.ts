import { Readable } from 'node:stream';
import { type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';
import { encodeRows, type RowBlock } from './encode-rows.js';

/**
 * One INSERT under the block's id; the same id again changes nothing for as long as ClickHouse remembers it. Resolves
 * with the bytes that were sent.
 * @throws ClickHouseError as ClickHouse answers; anything else when it does not answer.
 */
export async function insertRows(
  client: ClickHouseClient,
  table: string,
  { id, partition, rows }: RowBlock,
  settings: ClickHouseSettings,
): Promise<number> {
  let bytes = 0;
  const pieces = counting(encodeRows({ id, partition, rows }), (length) => (bytes += length));
  const { stream } = await client.exec({
    query: `INSERT INTO ${table} FORMAT JSONEachRow`,
    values: Readable.from(pieces, { objectMode: false }),
    clickhouse_settings: { ...settings, insert_deduplication_token: id },
  });
  await answered(stream);
  return bytes;
}

/** The pieces as they are, each of which is counted when it is asked for. */
function* counting(pieces: Iterable<Buffer>, count: (length: number) => void): Generator<Buffer> {
  for (const piece of pieces) {
    count(piece.length);
    yield piece;
  }
}

/**
 * Reads the answer to its end. An INSERT is answered with nothing; ClickHouse that fails after it has sent "200" writes
 * the exception into the body.
 */
async function answered(body: Readable): Promise<void> {
  let text = '';
  for await (const chunk of body) if (text.length < 1_000) text += String(chunk);
  if (text.trim() === '') return;
  throw new Error(`ClickHouse answered an INSERT with ${/\bCode: \d+/.exec(text)?.[0] ?? 'something'}`);
}
