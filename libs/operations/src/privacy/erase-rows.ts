import { shardedTables } from '@sluice/clickhouse';
import { type HashedPeople } from './people.js';
import { buildCondition, type PersonTable, personTables, type TableOptions } from './person-tables.js';
import { askClickHouse, readCount, quoteTable, queryRows, type TableServer, type TableServers } from './servers.js';

/** A mutation of a batch on one server. */
export interface Mutation {
  readonly server: string;
  readonly table: string;
  readonly id: string;
  readonly isDone: boolean;
  /** Name of the error that keeps ClickHouse from finishing it; empty without one. */
  readonly failure: string;
}

/** A table of a server that can hold rows of these people, and the condition for them. */
export interface ErasureTarget extends Required<Pick<PersonTable, 'reads' | 'isOfOthers'>> {
  readonly server: TableServer;
  readonly table: string;
  readonly condition: string;
  /** SQL array of the hashes of a row's ids. */
  readonly hashes: string;
}

/** Tables that can hold rows of these people, on all servers. A table that a server lacks is left out. */
export async function findTargets(
  servers: TableServers,
  people: readonly HashedPeople[],
  options: TableOptions,
): Promise<ErasureTarget[]> {
  const targets = await Promise.all(
    servers.all.map(async (server) => {
      const names = await queryRows<{ database: string; name: string }>(
        server.client,
        `SELECT database, name FROM system.tables WHERE database IN {databases:Array(String)} AND engine LIKE '%MergeTree'`,
        { databases: [...new Set(personTables.map(({ table }) => server.databaseOf(table)))] },
      );
      const tableNames = new Set(names.map(({ database, name }) => `${database}.${name}`));
      return personTables.flatMap((personTable: PersonTable): ErasureTarget[] => {
        const condition = buildCondition(personTable, people, options);
        if (condition === undefined || !tableNames.has(`${server.databaseOf(personTable.table)}.${personTable.table}`))
          return [];
        const { table, reads = [], isOfOthers = false } = personTable;
        return [{ server, table, condition, hashes: personTable.hashes(options), reads, isOfOthers }];
      });
    }),
  );
  return targets.flat();
}

/** Counts the rows of the table itself, without its projections. */
export const countRaw = ({ server, table, condition }: ErasureTarget): Promise<number> =>
  readCount(
    server.client,
    `SELECT count() AS n FROM ${quoteTable(server, table)} WHERE ${condition}`,
    {},
    { optimize_use_projections: 0 },
  );

/** Counts rows by table. */
export async function countRowsByTable(targets: readonly ErasureTarget[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const target of targets) {
    addRows(counts, target.table, await countRaw(target));
  }
  return counts;
}

/** Counts rows by source, and of each by table. Rows of refused requests may have no source, and count under an empty one. */
export async function countRowsBySource(
  targets: readonly ErasureTarget[],
): Promise<Map<string, Record<string, number>>> {
  const counts = new Map<string, Record<string, number>>();
  for (const { server, table, condition } of targets) {
    const rows = await queryRows<{ source: string; n: string }>(
      server.client,
      `SELECT toString(source_id) AS source, count() AS n FROM ${quoteTable(server, table)} WHERE ${condition} GROUP BY source`,
      {},
      { optimize_use_projections: 0 },
    );
    for (const { source, n } of rows) {
      const ofSource = counts.get(source) ?? {};
      counts.set(source, ofSource);
      addRows(ofSource, table, Number(n));
    }
  }
  return counts;
}

/** Adds the rows of a table on one more server. A table of which every shard has a copy counts once. */
export function addRows(counts: Record<string, number>, table: string, rows: number): void {
  const before = counts[table] ?? 0;
  counts[table] = shardedTables.has(table) ? before + rows : Math.max(before, rows);
}

/** A text in the condition of each mutation of a batch, which finds the mutations again after a crash. */
const batchMark = (batch: string): string => `erasure ${batch}`;

/**
 * Begins one mutation for each table that has rows of these people and no mutation of this batch: called again after a
 * crash, it begins what is missing. It never waits for a mutation.
 */
export async function beginMutations(targets: readonly ErasureTarget[], batch: string): Promise<void> {
  const begunPlaces = new Set((await readMutations(targets, batch)).map(mutationPlace));
  const tables = Map.groupBy(targets, ({ server, table }) => mutationPlace({ server: server.name, table }));
  for (const [place, targetsOfTable] of tables) {
    if (begunPlaces.has(place)) continue;
    const conditions: string[] = [];
    for (const target of targetsOfTable) if ((await countRaw(target)) > 0) conditions.push(target.condition);
    const [firstTarget] = targetsOfTable;
    if (firstTarget && conditions.length > 0) await beginMutation(firstTarget, conditions.join(' OR '), batch);
  }
}

const mutationPlace = ({ server, table }: Pick<Mutation, 'server' | 'table'>): string => `${server}/${table}`;

/** Begins a mutation without ON CLUSTER: replicas apply it anyway, and with ON CLUSTER each would begin one more. */
const beginMutation = ({ server, table }: ErasureTarget, condition: string, batch: string): Promise<unknown> =>
  askClickHouse(() =>
    server.client.command({
      query: `ALTER TABLE ${quoteTable(server, table)} DELETE WHERE (${condition}) AND '${batchMark(batch)}' != ''`,
      clickhouse_settings: { mutations_sync: '0' },
    }),
  );

/** The mutations of a batch; on a cluster, those of each replica. */
export async function readMutations(targets: readonly ErasureTarget[], batch: string): Promise<Mutation[]> {
  const servers = [...new Set(targets.map(({ server }) => server))];
  const mutations = await Promise.all(
    servers.map(async (server) => {
      const rows = await queryRows<{ table: string; id: string; done: number; failure: string }>(
        server.client,
        `SELECT table, mutation_id AS id, is_done AS done, if(latest_fail_reason = '', '', latest_fail_error_code_name) AS failure FROM ${systemTable(server, 'mutations')}
         WHERE database IN {databases:Array(String)} AND position(command, {mark:String}) > 0`,
        { databases: targetDatabases(server, targets), mark: batchMark(batch) },
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
  return mutations.flat();
}

/** Counts parts from before the mutations of a batch that are still on disk. ClickHouse removes them after minutes. */
export async function countOldParts(targets: readonly ErasureTarget[], batch: string): Promise<number> {
  const servers = [...new Set(targets.map(({ server }) => server))];
  const counts = await Promise.all(
    servers.map((server) =>
      readCount(
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
        { databases: targetDatabases(server, targets), mark: batchMark(batch) },
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

const targetDatabases = (server: TableServer, targets: readonly ErasureTarget[]): string[] => [
  ...new Set(targets.map(({ table }) => server.databaseOf(table))),
];
