import { type ClickHouseConfig, createClickHouse, schemaDifferences } from '@sluice/clickhouse';
import { findMigrations } from './migration-files.js';
import { formatCount } from '../format-count.js';
import { checkClickHouse, withClickHouse } from '../servers/with-clickhouse.js';
import { type Judged, type SystemReport } from '@sluice/console-api';

type Client = ReturnType<typeof createClickHouse>;

/** Compares the applied migrations with the files, and tables and views with what they make. @throws OperationError when ClickHouse cannot be used. */
export async function readMigrationStatus(config: ClickHouseConfig): Promise<SystemReport['migrations']> {
  await checkClickHouse(config);
  const client = createClickHouse(config, 'default');
  try {
    const applied = await withClickHouse(config, readApplied(client, config.CLICKHOUSE_DATABASE));
    const files = await findMigrations();
    const fullName = ({ app, name }: { app: string; name: string }): string => `${app}/${name}`;
    const pending = files.filter((file) => !applied.has(fullName(file))).map(fullName);
    const changed = files
      .filter((file) => (applied.get(fullName(file)) ?? file.checksum) !== file.checksum)
      .map(fullName);
    const differences = await withClickHouse(config, schemaDifferences(config, files));
    const lists = { pending, changed, differences };
    return { ...judge(applied.size, lists), applied: applied.size, ...lists };
  } finally {
    await client.close();
  }
}

async function readApplied(client: Client, database: string): Promise<Map<string, string>> {
  const tableAnswer = await client.query({
    query: `SELECT 1 FROM system.tables WHERE database = {database:String} AND name = 'schema_migrations'`,
    query_params: { database },
    format: 'JSONEachRow',
  });
  if ((await tableAnswer.json()).length === 0) return new Map();
  const result = await client.query({
    query: 'SELECT app, name, checksum FROM {database:Identifier}.schema_migrations',
    query_params: { database },
    format: 'JSONEachRow',
  });
  const rows = await result.json<{ app: string; name: string; checksum: string }>();
  return new Map(rows.map(({ app, name, checksum }) => [`${app}/${name}`, checksum]));
}

type MigrationLists = Pick<SystemReport['migrations'], 'pending' | 'changed' | 'differences'>;

function judge(applied: number, { pending, changed, differences }: MigrationLists): Judged {
  if (changed.length > 0)
    return { verdict: 'attention', summary: `${changed.join(', ')} was changed after it was applied` };
  if (pending.length > 0)
    return { verdict: 'attention', summary: `${applied} applied, ${pending.length} are not: operator migrate` };
  const [firstDifference] = differences;
  if (firstDifference === undefined) return { verdict: 'ok', summary: `all ${applied} applied` };
  const otherCount = differences.length - 1;
  const otherText = otherCount < 1 ? '' : `, and ${formatCount(otherCount, 'other difference', 'other differences')}`;
  return {
    verdict: 'attention',
    summary: `all ${applied} applied, but ${firstDifference}${otherText}: operator migrate`,
  };
}
