import { createClient } from '@clickhouse/client';
import { type FaultStack } from '../run/stack.js';

/** A line for each message that is stored twice: its number, and how many ids and contexts its rows have. */
export async function findDoubles({ clickhouse, source }: FaultStack, run: string, event: string): Promise<string[]> {
  const client = createClient({ url: clickhouse.url, database: clickhouse.database });
  const query = `SELECT properties.tab.:String AS tab, properties.n.:Int64::Int32 AS n, count() AS rows,
      uniqExact(message_id) AS ids, uniqExact(toString(context)) AS contexts,
      toString(groupArray(received_at)) AS received FROM events
    WHERE source_id = {source:String} AND event = {event:String} AND properties.run.:String = {run:String}
    GROUP BY tab, n HAVING rows > 1 ORDER BY tab, n LIMIT 20`;
  try {
    const query_params = { source: source.sourceIdentifier, run, event };
    const rows = await client.query({ query, query_params, format: 'JSONEachRow' });
    return (await rows.json()).map((row) => `doubled: ${JSON.stringify(row)}`);
  } finally {
    await client.close();
  }
}
