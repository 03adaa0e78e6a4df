import { text } from 'node:stream/consumers';
import { type ClickHouseClient, type ClickHouseSettings, type ResponseHeaders } from '@clickhouse/client';
import { type ExternalTable, withExternalTables } from '../rows/external-table.js';

/** Queries a table. The answer includes the rows of every INSERT that was acknowledged before. */
export type LookUp = <Found>(table: string, query: string, options?: LookUpOptions) => Promise<Found[]>;

export interface LookUpOptions {
  /** Data that the query reads as tables: the length of a query is limited, that of data is not. */
  readonly tables?: readonly AskedTable[];
  readonly settings?: ClickHouseSettings;
}

export interface AskedTable {
  readonly name: string;
  /** Columns and their types. */
  readonly structure: string;
  /** Rows of TabSeparated text, without line breaks. */
  readonly rows: readonly string[];
}

const timeoutSeconds = 60;
const attempts = 10;

export const lookUpIn =
  (client: ClickHouseClient): LookUp =>
  async (_, query, options) => {
    const answer = await ask(client, query, options);
    return answer.read();
  };

/** Queries the rows of a scratch table, which the request brings along, in place of the table of its name. */
export const lookUpWith =
  (client: ClickHouseClient, scratch: ExternalTable, settings: ClickHouseSettings): LookUp =>
  async (_, query, options) => {
    const answer = await ask(client, query, { ...options, settings: { ...settings, ...options?.settings } }, [scratch]);
    return answer.read();
  };

/**
 * Queries a cluster: 1. one replica fetches all rows that the replicas have acknowledged, 2. the same replica is
 * queried. If a load balancer sends the two requests to different replicas, both are repeated.
 * (`select_sequential_consistency` guarantees this only for INSERTs that run one at a time for a whole table.)
 * @throws when the only replica that holds some rows is unreachable: what is stored is unknown then; a retry may help.
 */
export const lookUpOnCluster =
  (client: ClickHouseClient): LookUp =>
  async (table, query, options) => {
    const answer = await onSyncedReplica(
      client,
      table,
      () => ask(client, query, options),
      (staleAnswer) => staleAnswer.close(),
    );
    return answer.read();
  };

/** Joins the rows that both look-ups find; fails unless both answer. */
export const onBoth =
  (first: LookUp, second: LookUp): LookUp =>
  async <Found>(...args: Parameters<LookUp>) =>
    (await Promise.all([first<Found>(...args), second<Found>(...args)])).flat();

interface Answer {
  readonly response_headers: ResponseHeaders;
  read<Found>(): Promise<Found[]>;
  close(): void;
}

async function ask(
  client: ClickHouseClient,
  query: string,
  { tables = [], settings }: LookUpOptions = {},
  scratch: readonly ExternalTable[] = [],
): Promise<Answer> {
  const clickhouse_settings = { ...ownLimit, ...settings };
  if (tables.length + scratch.length === 0) {
    const result = await client.query({ query, format: 'JSONEachRow', clickhouse_settings });
    const { response_headers } = result;
    return {
      response_headers,
      read: () => result.json(),
      close: () => result.close(),
    };
  }
  const { stream, response_headers } = await client.exec({
    query: `${query} FORMAT JSONEachRow`,
    // A list within the query would cost ClickHouse ten times as much CPU to parse.
    ...withExternalTables(
      ...scratch,
      ...tables.map(({ name, structure, rows }) => {
        const pieces = [Buffer.from(`${rows.join('\n')}\n`, 'latin1')];
        return { name, structure, format: 'TabSeparated' as const, pieces };
      }),
    ),
    // ClickHouse buffers the whole answer first, so that an exception changes the HTTP status.
    clickhouse_settings: { ...clickhouse_settings, wait_end_of_query: 1 },
  });
  return { response_headers, read: async () => parseLines(await text(stream)), close: () => stream.destroy() };
}

const parseLines = <Found>(json: string): Found[] =>
  json.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as Found)));

const ownLimit: ClickHouseSettings = { max_execution_time: timeoutSeconds };

/**
 * Asks a replica that has just fetched all rows of the table. An answer from another replica is discarded, and both
 * steps are repeated.
 * @throws after ten such attempts, and when the replica cannot fetch the rows (see `lookUpOnCluster`).
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
    if (serverName(synced.response_headers) === serverName(result.response_headers)) return result;
    discard(result);
  }
  throw new Error(`in ${attempts} attempts no two requests reached the same replica of ClickHouse`);
}

/** The `display_name` of the server that answered, by default its host name. */
const serverName = (headers: ResponseHeaders): string => String(headers['x-clickhouse-server-display-name']);
