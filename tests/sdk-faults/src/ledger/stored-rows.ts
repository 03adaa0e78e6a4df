import { createClient } from '@clickhouse/client';
import { type FaultStack } from '../run/stack.js';

export interface StoredRows {
  readonly rows: number;
  readonly devices: number;
  readonly streams: number;
  /** Rows beyond the first of a device, stream and seq. */
  readonly doubled: number;
  /** Rows whose seq is not the number that the page gave the message. */
  readonly misnumbered: number;
  /** Numbers by tab. */
  readonly numbers: ReadonlyMap<string, ReadonlySet<number>>;
}

/** Reads the rows of a run from the table. */
export async function readRows({ clickhouse, source }: FaultStack, run: string, event: string): Promise<StoredRows> {
  const client = createClient({
    url: clickhouse.url,
    database: clickhouse.database,
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  });
  const query_params = { source: source.sourceIdentifier, run, event };
  const ask = async <Row>(columns: string, rest = ''): Promise<Row[]> => {
    const query = `SELECT ${columns} FROM (
      SELECT context.sdk.device.:String AS device, context.sdk.stream.:String AS stream, context.sdk.seq.:Int64 AS seq,
        properties.tab.:String AS tab, properties.n.:Int64 AS n
      FROM events WHERE source_id = {source:String} AND event = {event:String} AND properties.run.:String = {run:String}
    ) ${rest}`;
    return (await client.query({ query, query_params, format: 'JSONEachRow' })).json();
  };
  try {
    const [sums] = await ask<Omit<StoredRows, 'numbers'>>(
      `count() AS rows, uniqExact(device) AS devices, uniqExact(stream) AS streams,
        rows - uniqExact(device, stream, seq) AS doubled, countIf(seq != n) AS misnumbered`,
    );
    const numbers = await ask<{ tab: string; all: number[] }>('tab, groupUniqArray(n) AS all', 'GROUP BY tab');
    const none = { rows: 0, devices: 0, streams: 0, doubled: 0, misnumbered: 0 };
    return { ...none, ...sums, numbers: new Map(numbers.map(({ tab, all }) => [tab, new Set(all)])) };
  } finally {
    await client.close();
  }
}
