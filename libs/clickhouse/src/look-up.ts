import { type ClickHouseClient, type ResponseHeaders } from '@clickhouse/client';

/** Asks a table what it holds. What any INSERT was answered for is among it. */
export type LookUp = <Row>(table: string, query: string) => Promise<Row[]>;

const timeoutSeconds = 60;
const attempts = 10;

export const lookUpIn =
  (client: ClickHouseClient): LookUp =>
  async (_, query) => {
    const result = await client.query({ query, format: 'JSONEachRow', clickhouse_settings: ownLimit });
    return result.json();
  };

/**
 * On a cluster: 1. a replica fetches all that any of them was told by then, 2. the same replica is asked. Behind one
 * address both may reach different ones, which is repeated. (`select_sequential_consistency` would do this only for
 * INSERTs that wait for each other, one at a time for a whole table.)
 * @throws when a replica that alone holds rows is away: then nobody can say what is stored, and a retry may help.
 */
export const lookUpOnCluster =
  (client: ClickHouseClient): LookUp =>
  async (table, query) => {
    const result = await onSyncedReplica(
      client,
      table,
      () => client.query({ query, format: 'JSONEachRow', clickhouse_settings: ownLimit }),
      (other) => {
        other.close();
      },
    );
    return result.json();
  };

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
