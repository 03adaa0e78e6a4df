import { Readable } from 'node:stream';
import { type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';
import { encodeRows, type RowBlock } from './encode-rows.js';

/**
 * Sends one INSERT under the block's id. A second INSERT with that id changes nothing while ClickHouse remembers it.
 * Resolves with the number of bytes sent.
 * @throws ClickHouseError when ClickHouse refuses the INSERT; another error when it fails after "200" or is silent.
 */
export async function insertRows(
  client: ClickHouseClient,
  table: string,
  { id, partition, rows }: RowBlock,
  settings: ClickHouseSettings,
): Promise<number> {
  let bytes = 0;
  const pieces = countPieces(encodeRows({ id, partition, rows }), (length) => (bytes += length));
  const { stream } = await client.exec({
    query: `INSERT INTO ${table} FORMAT JSONEachRow`,
    values: Readable.from(pieces, { objectMode: false }),
    clickhouse_settings: { ...settings, insert_deduplication_token: id },
  });
  await requireSuccess(stream);
  return bytes;
}

/** Passes the pieces on and counts each as it is consumed. */
function* countPieces(pieces: Iterable<Buffer>, count: (length: number) => void): Generator<Buffer> {
  for (const piece of pieces) {
    count(piece.length);
    yield piece;
  }
}

/**
 * Reads the response to its end, which is empty when the INSERT succeeded. If ClickHouse fails after it has sent "200", it
 * writes the exception into the body.
 * @throws Error with the code of the exception.
 */
async function requireSuccess(body: Readable): Promise<void> {
  let text = '';
  for await (const chunk of body) if (text.length < 1_000) text += String(chunk);
  if (text.trim() === '') return;
  throw new Error(`ClickHouse answered an INSERT with ${/\bCode: \d+/.exec(text)?.[0] ?? 'something'}`);
}
