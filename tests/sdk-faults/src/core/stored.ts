import { createClient } from '@clickhouse/client';
import { type StoredRows } from '../ledger/stored-rows.js';
import { type Around } from '../run/platform.js';

const ofRun = 'source_id = {source:String} AND startsWith(context.sdk.device.:String, {prefix:String})';
const seqs = 'context.sdk.stream.:String AS tab, context.sdk.seq.:Int64 AS seq';

/** Reads the numbers of each stream from the tables, then the counts of rows from the view sdk_streams. */
export async function readStreams({ stack, run }: Around): Promise<StoredRows> {
  const { clickhouse, source } = stack;
  const client = createClient({
    url: clickhouse.url,
    database: clickhouse.database,
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  });
  const query_params = { source: source.sourceIdentifier, prefix: `${run}-device-` };
  const ask = async <Row>(query: string): Promise<Row[]> =>
    (await client.query({ query, query_params, format: 'JSONEachRow' })).json();
  try {
    // Rows that arrive between the two questions are in the second.
    const numbers = await ask<{ tab: string; all: number[] }>(
      `SELECT tab, groupUniqArray(seq) AS all FROM (SELECT ${seqs} FROM events WHERE ${ofRun}
        UNION ALL SELECT ${seqs} FROM identifies WHERE ${ofRun}) GROUP BY tab`,
    );
    const [sums] = await ask<Omit<StoredRows, 'numbers' | 'misnumbered'>>(
      `SELECT sum(messages) AS rows, uniqExact(device) AS devices, uniqExact(stream) AS streams,
        sum(doubled) AS doubled FROM sdk_streams(source = {source:String}, from = now() - INTERVAL 1 DAY,
        to = now() + INTERVAL 1 DAY) WHERE startsWith(device, {prefix:String})`,
    );
    const none = { rows: 0, devices: 0, streams: 0, doubled: 0 };
    return {
      ...none,
      ...sums,
      misnumbered: 0,
      numbers: new Map(numbers.map(({ tab, all }) => [tab, new Set(all)])),
    };
  } finally {
    await client.close();
  }
}
