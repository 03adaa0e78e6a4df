import { text } from 'node:stream/consumers';
import { type ClickHouseClient, type ClickHouseSettings, type ResponseHeaders } from '@clickhouse/client';
import { type ExternalTable, withExternalTable } from './external-table.js';

/** Asks a table what it holds. What any INSERT was answered for is among it. */
export type LookUp = <Found>(table: string, query: string, options?: LookUpOptions) => Promise<Found[]>;

export interface LookUpOptions {
  /** UUIDs that the query knows as the table `asked (message_id UUID)`. */
  readonly ids?: readonly string[];
  readonly settings?: ClickHouseSettings;
}

const asked: ExternalTable = { name: 'asked', structure: 'message_id UUID', format: 'TabSeparated' };
const timeoutSeconds = 60;
const attempts = 10;

export const lookUpIn =
  (client: ClickHouseClient): LookUp =>
  async (_, query, options) => {
    const answer = await ask(client, query, options);
    return answer.read();
  };

/**
 * On a cluster: 1. a replica fetches all that any of them was told by then, 2. the same replica is asked. Behind one
 * address both may reach different ones, which is repeated. (`select_sequential_consistency` would do this only for
 * INSERTs that wait for each other, one at a time for a whole table.)
 * @throws when a replica that alone holds rows is away: then nobody can say what is stored, and a retry may help.
 */
export const lookUpOnCluster =
  (client: ClickHouseClient): LookUp =>
  async (table, query, options) => {
    const answer = await onSyncedReplica(
      client,
      table,
      () => ask(client, query, options),
      (other) => {
        other.close();
      },
    );
    return answer.read();
  };

interface Answer {
  readonly response_headers: ResponseHeaders;
  read<Found>(): Promise<Found[]>;
  close(): void;
}

async function ask(client: ClickHouseClient, query: string, { ids, settings }: LookUpOptions = {}): Promise<Answer> {
  const clickhouse_settings = { ...ownLimit, ...settings };
  if (ids === undefined) {
    const result = await client.query({ query, format: 'JSONEachRow', clickhouse_settings });
    const { response_headers } = result;
    return {
      response_headers,
      read: () => result.json(),
      close: () => {
        result.close();
      },
    };
  }
  const { stream, response_headers } = await client.exec({
    query: `${query} FORMAT JSONEachRow`,
    // A list within the query would take ten times as much CPU of ClickHouse to parse.
    ...withExternalTable(asked, [Buffer.from(`${ids.join('\n')}\n`, 'latin1')]),
    // The answer is kept until it is whole: an exception then has a status of its own.
    clickhouse_settings: { ...clickhouse_settings, wait_end_of_query: 1 },
  });
  return { response_headers, read: async () => linesOf(await text(stream)), close: () => stream.destroy() };
}

const linesOf = <Found>(json: string): Found[] =>
  json.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as Found)));

const ownLimit = { max_execution_time: timeoutSeconds };

/**
 * Asks a replica that has fetched everything of the table; what reached another one is discarded and asked again.
 * @throws when that does not come to pass in ten attempts, and as `lookUpOnCluster`.
 */
export async function onSyncedReplica<Result extends { response_headers: ResponseHeaders }>(
  client: ClickHouseClient,
  table: string,
  ask: () => Promise<Result>,
  discard: (result: Result) => void = () => undefined,
): Promise<Result> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const synced = await client.command({
      query: `SYSTEM SYNC REPLICA ${table} LIGHTWEIGHT`,
      clickhouse_settings: { ...ownLimit, receive_timeout: timeoutSeconds },
    });
    const result = await ask();
    if (serverOf(synced.response_headers) === serverOf(result.response_headers)) return result;
    discard(result);
  }
  throw new Error(`in ${attempts} attempts no two requests reached the same replica of ClickHouse`);
}

/** ClickHouse's name for itself: `display_name`, by default the host's. */
const serverOf = (headers: ResponseHeaders): string => String(headers['x-clickhouse-server-display-name']);
