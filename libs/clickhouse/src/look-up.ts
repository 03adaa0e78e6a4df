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
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const synced = await client.command({
        query: `SYSTEM SYNC REPLICA ${table} LIGHTWEIGHT`,
        clickhouse_settings: { ...ownLimit, receive_timeout: timeoutSeconds },
      });
      const result = await client.query({ query, format: 'JSONEachRow', clickhouse_settings: ownLimit });
      if (serverOf(synced.response_headers) === serverOf(result.response_headers)) return result.json();
      result.close();
    }
    throw new Error(`in ${attempts} attempts no two requests reached the same replica of ClickHouse`);
  };

const ownLimit = { max_execution_time: timeoutSeconds };

/** ClickHouse's name for itself: `display_name`, by default the host's. */
const serverOf = (headers: ResponseHeaders): string => String(headers['x-clickhouse-server-display-name']);
