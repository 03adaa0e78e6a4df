import { type ClickHouseConfig, createClickHouse, schemaDifferences } from '@sluice/clickhouse';
import { findMigrations } from './migration-files.js';
import { checkClickHouse, withClickHouse } from '../servers/with-clickhouse.js';
import { type Judged, type StatusReport } from '@sluice/console-api';

type Client = ReturnType<typeof createClickHouse>;

/** Compares the applied migrations with the files, and tables and views with what they make. @throws OperationError when ClickHouse cannot be used. */
export async function readMigrationStatus(config: ClickHouseConfig): Promise<StatusReport['migrations']> {
  await checkClickHouse(config);
  const client = createClickHouse(config, 'default');
  try {
    const applied = await withClickHouse(config, readApplied(client, config.CLICKHOUSE_DATABASE));
    const files = await findMigrations();
    const nameOf = ({ app, name }: { app: string; name: string }): string => `${app}/${name}`;
    const pending = files.filter((file) => !applied.has(nameOf(file))).map(nameOf);
    const changed = files.filter((file) => (applied.get(nameOf(file)) ?? file.checksum) !== file.checksum).map(nameOf);
    const differences = await withClickHouse(config, schemaDifferences(config, files));
    const lists = { pending, changed, differences };
    return { ...judge(applied.size, lists), applied: applied.size, ...lists };
  } finally {
    await client.close();
  }
}

async function readApplied(client: Client, database: string): Promise<Map<string, string>> {
  const known = await client.query({
    query: `SELECT 1 FROM system.tables WHERE database = {database:String} AND name = 'schema_migrations'`,
    query_params: { database },
    format: 'JSONEachRow',
  });
  if ((await known.json()).length === 0) return new Map();
  const result = await client.query({
    query: 'SELECT app, name, checksum FROM {database:Identifier}.schema_migrations',
    query_params: { database },
    format: 'JSONEachRow',
  });
  const rows = await result.json<{ app: string; name: string; checksum: string }>();
  return new Map(rows.map(({ app, name, checksum }) => [`${app}/${name}`, checksum]));
}

type MigrationLists = Pick<StatusReport['migrations'], 'pending' | 'changed' | 'differences'>;

function judge(applied: number, { pending, changed, differences }: MigrationLists): Judged {
  if (changed.length > 0)
    return { verdict: 'attention', summary: `${changed.join(', ')} was changed after it was applied` };
  if (pending.length > 0)
    return { verdict: 'attention', summary: `${applied} applied, ${pending.length} are not: operator migrate` };
  const [first] = differences;
  if (first === undefined) return { verdict: 'ok', summary: `all ${applied} applied` };
  const more = differences.length > 1 ? `, and ${differences.length - 1} more` : '';
  return { verdict: 'attention', summary: `all ${applied} applied, but ${first}${more}: operator migrate` };
}
