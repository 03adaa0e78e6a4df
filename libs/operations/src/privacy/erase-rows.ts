import { shardedTables } from '@sluice/clickhouse';
import { type HashedPeople } from './people.js';
import { conditionOf, type PersonTable, personTables, type TableOptions } from './person-tables.js';
import { asked, countOf, placeOf, select, type TableServer, type TableServers } from './servers.js';

/** A mutation of a batch on one server. */
export interface Mutation {
  readonly server: string;
  readonly table: string;
  readonly id: string;
  readonly isDone: boolean;
  /** Why ClickHouse could not go on with it; empty if it can. */
  readonly failure: string;
}

/** A table of a server that can hold rows of these people, and the condition for them. */
export interface Target {
  readonly server: TableServer;
  readonly table: string;
  readonly condition: string;
}

/** Tables that can hold rows of these people, on all servers. A table that a server lacks is left out. */
export async function targetsOf(
  servers: TableServers,
  people: readonly HashedPeople[],
  options: TableOptions,
): Promise<Target[]> {
  const found = await Promise.all(
    servers.all.map(async (server) => {
      const names = await select<{ database: string; name: string }>(
        server.client,
        `SELECT database, name FROM system.tables WHERE database IN {databases:Array(String)} AND engine LIKE '%MergeTree'`,
        { databases: [...new Set(personTables.map(({ table }) => server.databaseOf(table)))] },
      );
      const has = new Set(names.map(({ database, name }) => `${database}.${name}`));
      return personTables.flatMap((one: PersonTable): Target[] => {
        const condition = conditionOf(one, people, options);
        if (condition === undefined || !has.has(`${server.databaseOf(one.table)}.${one.table}`)) return [];
        return [{ server, table: one.table, condition }];
      });
    }),
  );
  return found.flat();
}

/** Counts the rows of the table itself, without its projections. */
export const countRaw = ({ server, table, condition }: Target): Promise<number> =>
  countOf(
    server.client,
    `SELECT count() AS n FROM ${placeOf(server, table)} WHERE ${condition}`,
    {},
    { optimize_use_projections: 0 },
  );

/** Counts rows by table. */
export async function countRows(targets: readonly Target[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const target of targets) {
    addRows(counts, target.table, await countRaw(target));
  }
  return counts;
}

/** Adds the rows of a table on one more server. A table of which every shard has a copy counts once. */
export function addRows(counts: Record<string, number>, table: string, rows: number): void {
  const before = counts[table] ?? 0;
  counts[table] = shardedTables.has(table) ? before + rows : Math.max(before, rows);
}

/** A text in the condition of each mutation of a batch, which finds the mutations again after a crash. */
const markOf = (batch: string): string => `erasure ${batch}`;

/**
 * Begins one mutation for each table that has rows of these people and no mutation of this batch: called again after a
 * crash, it begins what is missing. It never waits for a mutation.
 */
export async function beginMutations(targets: readonly Target[], batch: string): Promise<void> {
  const begun = new Set((await mutationsOf(targets, batch)).map(({ server, table }) => `${server}/${table}`));
  for (const target of targets) {
    const { server, table, condition } = target;
    if (begun.has(`${server.name}/${table}`) || (await countRaw(target)) === 0) continue;
    // Without ON CLUSTER: replicas apply the mutation anyway, and with it each of them would begin one more.
    await asked(() =>
      server.client.command({
        query: `ALTER TABLE ${placeOf(server, table)} DELETE WHERE (${condition}) AND '${markOf(batch)}' != ''`,
        clickhouse_settings: { mutations_sync: '0' },
      }),
    );
  }
}

/** The mutations of a batch; on a cluster, those of each replica. */
export async function mutationsOf(targets: readonly Target[], batch: string): Promise<Mutation[]> {
  const servers = [...new Set(targets.map(({ server }) => server))];
  const found = await Promise.all(
    servers.map(async (server) => {
      const rows = await select<{ table: string; id: string; done: number; failure: string }>(
        server.client,
        `SELECT table, mutation_id AS id, is_done AS done, if(latest_fail_reason = '', '', latest_fail_error_code_name) AS failure FROM ${systemTable(server, 'mutations')}
         WHERE database IN {databases:Array(String)} AND position(command, {mark:String}) > 0`,
        { databases: databasesOf(server, targets), mark: markOf(batch) },
      );
      return rows.map(({ table, id, done, failure }) => ({
        server: server.name,
        table,
        id,
        isDone: done === 1,
        failure: done === 1 ? '' : failure,
      }));
    }),
  );
  return found.flat();
}

/** Counts parts from before the mutations of a batch that are still on disk. ClickHouse removes them after minutes. */
export async function oldPartsOf(targets: readonly Target[], batch: string): Promise<number> {
  const servers = [...new Set(targets.map(({ server }) => server))];
  const counts = await Promise.all(
    servers.map((server) =>
      countOf(
        server.client,
        `SELECT count() AS n
         FROM ${systemTable(server, 'parts')} AS part
         INNER JOIN
         (
             SELECT DISTINCT database, table, number, partition
             FROM ${systemTable(server, 'mutations')}
             ARRAY JOIN block_numbers.number AS number, block_numbers.partition_id AS partition
             WHERE database IN {databases:Array(String)} AND position(command, {mark:String}) > 0
         ) AS mutation ON mutation.database = part.database AND mutation.table = part.table
         WHERE NOT part.active AND part.data_version < mutation.number AND mutation.partition IN ('', part.partition_id)`,
        { databases: databasesOf(server, targets), mark: markOf(batch) },
      ),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** A system table; on a cluster, that of all replicas. */
export const systemTable = ({ cluster }: TableServer, table: string): string =>
  cluster === undefined
    ? `system.${table}`
    : `clusterAllReplicas('${cluster.replaceAll(/['\\]/g, '')}', system.${table})`;

const databasesOf = (server: TableServer, targets: readonly Target[]): string[] => [
  ...new Set(targets.map(({ table }) => server.databaseOf(table))),
];
