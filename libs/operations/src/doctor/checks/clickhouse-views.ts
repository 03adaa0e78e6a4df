import { ownViews } from '@sluice/clickhouse';
import { type TableServer } from '../../privacy/servers.js';
import { type DoctorCheck } from '../examination.js';
import { well } from '../finding.js';
import { joinNames } from '../join-names.js';
import { atShard, selectFrom } from '../select-rows.js';
import { readDeclarations } from '../table-declarations.js';

export const clickhouseViews: DoctorCheck = {
  check: 'clickhouse.views',
  tested: 'no materialized view of others runs in INSERTs',
  run: async ({ servers }) => {
    const views: string[] = [];
    for (const server of servers.all)
      views.push(...(await listForeignViews(server)).map(({ view, table }) => `${view} on ${table}${atShard(server)}`));
    if (views.length === 0) return well('none');
    return {
      verdict: 'attention',
      found: joinNames(views),
      meaning: 'Each INSERT waits for them, and erasures do not reach their targets. Their errors refuse no row.',
      action: 'See that they are as docs/tables.md#your-own-views-on-these-tables says.',
    };
  },
};

/** Materialized views that run in INSERTs into tables of Sluice and are not part of it, as `database.name`. */
export async function listForeignViews(server: TableServer): Promise<{ view: string; table: string }[]> {
  const tables = (await readDeclarations()).map(({ table }) => `${server.databaseOf(table)}.${table}`);
  const ownNames = [...ownViews].flatMap(([table, views]) =>
    views.map(({ name }) => `${server.databaseOf(table)}.${name}`),
  );
  return selectFrom(
    server,
    `SELECT DISTINCT concat(dependency.1, '.', dependency.2) AS view, name AS table FROM system.tables
     ARRAY JOIN arrayZip(dependencies_database, dependencies_table) AS dependency
     WHERE concat(database, '.', name) IN {tables:Array(String)} AND engine LIKE '%MergeTree' AND NOT has({own:Array(String)}, view)
     ORDER BY view, table`,
    { tables, own: ownNames },
  );
}
