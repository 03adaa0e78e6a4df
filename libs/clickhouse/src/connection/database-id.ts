import { createHash } from 'node:crypto';
import { type Starting, whenAvailable } from '@sluice/service';
import { createClickHouse } from './client.js';
import { type TableConfig } from './config.js';

/**
 * Names the database of an installation, for as long as it exists: its name, and on one server the id that ClickHouse gave
 * it. Replicas and shards give it an id each, so there it is the name alone.
 */
export async function readDatabaseId(starting: Starting, config: TableConfig): Promise<string> {
  const { CLICKHOUSE_DATABASE: name, CLICKHOUSE_CLUSTER, CLICKHOUSE_SHARDS } = config;
  const isOneServer = CLICKHOUSE_CLUSTER === undefined && CLICKHOUSE_SHARDS === undefined;
  const id = isOneServer ? await whenAvailable(starting, 'clickhouse', () => idOf(config)) : '';
  return createHash('sha256').update(`${name} ${id}`).digest('hex').slice(0, 12);
}

async function idOf(config: TableConfig): Promise<string> {
  const client = createClickHouse(config, 'default');
  try {
    const result = await client.query({
      query: 'SELECT toString(uuid) AS id FROM system.databases WHERE name = {name:String}',
      query_params: { name: config.CLICKHOUSE_DATABASE },
      format: 'JSONEachRow',
    });
    const [found] = await result.json<{ id: string }>();
    if (!found) throw new Error(`there is no database ${config.CLICKHOUSE_DATABASE} yet`);
    return found.id;
  } finally {
    await client.close();
  }
}
