import { type TableServer } from '../privacy/servers.js';

const timeoutSeconds = 20;

/** Asks ClickHouse within a bounded time. */
export async function selectFrom<T>(
  { client }: Pick<TableServer, 'client'>,
  query: string,
  query_params: Record<string, unknown> = {},
): Promise<T[]> {
  const result = await client.query({
    query,
    query_params,
    format: 'JSONEachRow',
    clickhouse_settings: { max_execution_time: timeoutSeconds },
    abort_signal: AbortSignal.timeout(timeoutSeconds * 1_000),
  });
  return result.json<T>();
}

/** Names the shard of a server in a text; nothing where there is one server. */
export const atShard = ({ name }: Pick<TableServer, 'name'>): string => (name === '' ? '' : ` at shard ${name}`);
