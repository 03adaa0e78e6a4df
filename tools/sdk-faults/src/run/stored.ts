import { createClient } from '@clickhouse/client';
import { type TakenStream } from './fleet.js';

export interface Where {
  readonly url: string;
  readonly database: string;
  readonly source: string;
  readonly devicePrefix: string;
}

export interface Stored {
  readonly messages: number;
  readonly doubled: number;
  /** Messages that were taken and are not there, but for those that only a killed client had. */
  readonly missing: number;
  /** Messages that only a killed client had. */
  readonly missingAtRisk: number;
}

interface StreamRow {
  stream: string;
  messages: number;
  doubled: number;
}

/** ClickHouse takes 128 KiB in a parameter. */
const maxIds = 1_000;
const numbersOf = `SELECT stream, groupUniqArray(seq) AS numbers FROM (
        SELECT context.sdk.stream.:String AS stream, context.sdk.seq.:Int64 AS seq FROM events
        WHERE source_id = {source:String} AND stream IN {stream_ids:Array(String)} UNION ALL
        SELECT context.sdk.stream.:String AS stream, context.sdk.seq.:Int64 AS seq FROM identifies
        WHERE source_id = {source:String} AND stream IN {stream_ids:Array(String)}) GROUP BY stream`;

/** Asks the view sdk_streams, and for the streams that miss something the tables themselves which numbers they have. */
export async function readStored(where: Where, streams: ReadonlyMap<string, TakenStream>): Promise<Stored> {
  const client = createClient({
    url: where.url,
    database: where.database,
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  });
  const ask = async <Row>(query: string, stream_ids: string[] = []): Promise<Row[]> => {
    const query_params = { source: where.source, prefix: where.devicePrefix, stream_ids };
    return (await client.query({ query, query_params, format: 'JSONEachRow' })).json();
  };
  try {
    const rows = await ask<StreamRow>(
      `SELECT stream, messages, doubled FROM sdk_streams(source = {source:String}, from = now() - INTERVAL 1 DAY,
        to = now() + INTERVAL 1 DAY) WHERE startsWith(device, {prefix:String})`,
    );
    const found = new Map(rows.map((row) => [row.stream, row]));
    const short = [...streams].filter(([stream, { taken }]) => (found.get(stream)?.messages ?? 0) < taken);
    const numbers: { stream: string; numbers: number[] }[] = [];
    for (let at = 0; at < short.length; at += maxIds) {
      const ids = short.slice(at, at + maxIds).map(([stream]) => stream);
      numbers.push(...(await ask<{ stream: string; numbers: number[] }>(numbersOf, ids)));
    }
    return {
      messages: rows.reduce((sum, { messages }) => sum + messages, 0),
      doubled: rows.reduce((sum, { doubled }) => sum + doubled, 0),
      ...missingOf(new Map(short), new Map(numbers.map((row) => [row.stream, new Set(row.numbers)]))),
    };
  } finally {
    await client.close();
  }
}

export function missingOf(
  streams: ReadonlyMap<string, TakenStream>,
  numbers: ReadonlyMap<string, ReadonlySet<number>>,
): Pick<Stored, 'missing' | 'missingAtRisk'> {
  let [missing, missingAtRisk] = [0, 0];
  for (const [stream, { taken, atRisk }] of streams) {
    for (let seq = 0; seq < taken; seq++) {
      if (numbers.get(stream)?.has(seq)) continue;
      if (atRisk.has(seq)) missingAtRisk++;
      else missing++;
    }
  }
  return { missing, missingAtRisk };
}
