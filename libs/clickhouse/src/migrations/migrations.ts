import { errorCode } from '@sluice/service';
import { type TableConfig } from '../connection/config.js';
import { Database } from './database.js';
import { type Migration, MigrationError } from './migration.js';
import { isRefusal } from '../rows/refusal.js';
import { becomeSharded, shardDatabase, shardedTables } from '../connection/shards.js';
import { buildSchema } from '../schema/schema.js';
import { runnable } from '../schema/view-statement.js';
import { compareSchema, type SchemaRepair } from './compare-schema.js';
import { type TableChange, tableChanges } from './table-changes.js';

/** Pending changes of a database; after `migrate`, the changes that it made. */
export interface MigrationPlan {
  /** Files, `app/NNNN-name`, in their order. */
  readonly migrations: string[];
  readonly tables: TableChange[];
  /** Tables and views that are not what the migrations make. */
  readonly repairs: SchemaRepair[];
}

interface MigrateOptions {
  /** Allows tables of one server to become those of a shard. No consumer may run then: it would not find its table. */
  readonly mayShard?: boolean;
  /** False for those who store rows: a view for analysts that they may not repair is left to others. */
  readonly needsViews?: boolean;
}

/**
 * Brings the database up to date, on every shard, and returns what it did: it applies pending migrations, and repairs
 * what differs from what all of them make. When nothing is to be done it only reads: it needs no right to create
 * anything, and no other replica. Safe to run from several processes at once, of which any may be killed: statements can
 * be repeated, views are replaced in one step, and the last process to end compares the whole.
 * @throws MigrationError when an applied file was changed, or ClickHouse refuses a statement for good.
 */
export const migrate = (
  config: TableConfig,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<MigrationPlan> => onEveryServer(config, (server) => migrateServer(server, migrations, options));

/**
 * Returns what `migrate` would do; changes nothing.
 * @throws MigrationError when `migrate` would, as far as that is known beforehand.
 */
export const planMigrations = (config: TableConfig, migrations: readonly Migration[]): Promise<MigrationPlan> =>
  onEveryServer(config, (server) => planServer(server, migrations));

/**
 * Returns where tables and views differ from what the applied ones of these migrations make, on every shard, such as
 * `sessions: missing view`. Only reads.
 */
export async function schemaDifferences(config: TableConfig, migrations: readonly Migration[]): Promise<string[]> {
  const { repairs } = await onEveryServer(config, (server) =>
    Database.use(server, 'default', async (database) => {
      const applied = await readApplied(database, server);
      return { migrations: [], tables: [], repairs: await differences(database, server, migrations, applied) };
    }),
  );
  return repairs.map(({ table, problem }) => `${table}: ${problem}`);
}

/** Does the work on each shard in turn. The names in the result begin with that of the shard. */
async function onEveryServer(
  config: TableConfig,
  work: (config: TableConfig) => Promise<MigrationPlan>,
): Promise<MigrationPlan> {
  const { CLICKHOUSE_SHARDS } = config;
  if (!CLICKHOUSE_SHARDS) return work(config);
  const whole: MigrationPlan = { migrations: [], tables: [], repairs: [] };
  for (const [shard, CLICKHOUSE_URL] of CLICKHOUSE_SHARDS) {
    const { migrations, tables, repairs } = await work({ ...config, CLICKHOUSE_URL });
    whole.migrations.push(...migrations.map((name) => `${shard}: ${name}`));
    whole.tables.push(...tables.map((change) => ({ ...change, table: `${shard}: ${change.table}` })));
    whole.repairs.push(...repairs.map((repair) => ({ ...repair, table: `${shard}: ${repair.table}` })));
  }
  return whole;
}

async function migrateServer(
  config: TableConfig,
  migrations: readonly Migration[],
  { mayShard = false, needsViews = true }: MigrateOptions,
): Promise<MigrationPlan> {
  const { pending, applied, hasDatabase, hasRecord, moves } = await Database.use(
    config,
    'default',
    async (database) => {
      await database.checkCluster();
      await database.checkReplicated(config.CLICKHOUSE_DATABASE);
      const record = await findRecord(database, config);
      if (!record.hasDatabase) await database.run(`CREATE DATABASE IF NOT EXISTS \`${config.CLICKHOUSE_DATABASE}\``);
      const applied = await readApplied(database, config);
      const pending = findPending(migrations, applied);
      if (database.shard && pending.length > 0) {
        await database.run(`CREATE DATABASE IF NOT EXISTS \`${shardDatabase(config.CLICKHOUSE_DATABASE)}\``);
      }
      const moves = await movesToShard(database, config);
      if (moves.length > 0 && !mayShard) throw new MigrationError('tables become those of a shard by operator migrate');
      for (const { statements } of moves) for (const statement of statements) await database.send(statement);
      return { ...record, pending, applied, moves };
    },
  );
  const { CLICKHOUSE_DATABASE: name } = config;
  return Database.use(config, name, async (database) => {
    if (!hasDatabase || !hasRecord) await database.run(createRecord);
    for (const migration of pending) await apply(database, migration);
    const schemaRepairs = isBehind(migrations, applied)
      ? []
      : await compareSchema(database, name, buildSchema(migrations));
    const repairs = await repair(database, { name, migrations, needsViews }, schemaRepairs);
    const tables = await tableChanges(database, config);
    for (const change of tables) await changeTable(database, config, change);
    return { migrations: pending.map(fullName), tables: [...moves, ...tables], repairs };
  });
}

function planServer(config: TableConfig, migrations: readonly Migration[]): Promise<MigrationPlan> {
  return Database.use(config, 'default', async (database) => {
    await database.checkCluster();
    await database.checkReplicated(config.CLICKHOUSE_DATABASE);
    const applied = await readApplied(database, config);
    const pending = findPending(migrations, applied);
    for (const { statements } of pending) for (const statement of runnable(statements)) database.statements(statement);
    const tables = await tableChanges(database, config, { areMorePending: pending.length > 0 });
    const moves = await movesToShard(database, config);
    // A table that is to move is not compared: it is another one afterwards.
    const repairs = moves.length > 0 ? [] : await differences(database, config, migrations, applied);
    return { migrations: pending.map(fullName), tables: [...moves, ...tables], repairs };
  });
}

/** Tables of one server that are to become those of its shard. */
async function movesToShard(
  database: Database,
  { CLICKHOUSE_DATABASE: name, CLICKHOUSE_CLUSTER }: TableConfig,
): Promise<(TableChange & { readonly statements: string[] })[]> {
  const { shard } = database;
  if (!shard) return [];
  const rows = await database.select<{ table: string; engine: string }>(
    'SELECT name AS table, engine FROM system.tables WHERE database = {name:String}',
    { name },
  );
  const engines = new Map(rows.map(({ table, engine }) => [table, engine]));
  const moves = [...shardedTables]
    .map((table) => ({ table, statements: becomeSharded(shard, table, engines) }))
    .filter(({ statements }) => statements.length > 0);
  if (moves.length > 0 && CLICKHOUSE_CLUSTER !== undefined) {
    const statements = moves.flatMap((move) => move.statements).join('; ');
    throw new MigrationError(`run this on every replica of the shard that has these tables first: ${statements}`);
  }
  const description = `becomes ${shardDatabase(name)}.<table> in place; its name reads all shards`;
  return moves.map(({ table, statements }) => ({
    table,
    what: description.replace('<table>', table),
    statement: statements.at(-1) ?? '',
    statements,
  }));
}

const fullName = ({ app, name }: Migration): string => `${app}/${name}`;

async function apply(database: Database, migration: Migration): Promise<void> {
  const { app, name, checksum, statements } = migration;
  try {
    for (const query of runnable(statements)) await database.run(query);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new MigrationError(`${app}/${name}.sql was refused by ClickHouse: ${error.message}`, { cause: error });
  }
  const values = [{ app, name, checksum }];
  await database.client.insert({ table: 'schema_migrations', values, format: 'JSONEachRow' });
}

/**
 * True when a newer version has migrated the database: this one does not know what its migrations changed, and repairs
 * nothing.
 */
function isBehind(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): boolean {
  const [apps, knownNames] = [new Set(migrations.map(({ app }) => app)), new Set(migrations.map(fullName))];
  return [...applied.keys()].some((name) => apps.has(name.split('/', 1)[0] ?? '') && !knownNames.has(name));
}

/** Differences of the database from what the applied ones of these migrations make. Only reads. */
function differences(
  database: Database,
  { CLICKHOUSE_DATABASE: name }: TableConfig,
  migrations: readonly Migration[],
  applied: ReadonlyMap<string, string>,
): Promise<SchemaRepair[]> {
  const appliedMigrations = migrations.filter((migration) => applied.has(fullName(migration)));
  return isBehind(migrations, applied)
    ? Promise.resolve([])
    : compareSchema(database, name, buildSchema(appliedMigrations));
}

interface RepairOptions {
  readonly name: string;
  readonly migrations: readonly Migration[];
  readonly needsViews: boolean;
}

/**
 * Runs the statements of repairs, and returns the repairs that were done. Ignores an error when the difference is gone:
 * another process may have repaired it first.
 */
async function repair(
  database: Database,
  { name, migrations, needsViews }: RepairOptions,
  repairs: readonly SchemaRepair[],
): Promise<SchemaRepair[]> {
  const doneRepairs: SchemaRepair[] = [];
  for (const difference of repairs) {
    try {
      for (const statement of difference.statements) await database.run(statement);
      doneRepairs.push(difference);
    } catch (error) {
      const open = await compareSchema(database, name, buildSchema(migrations));
      if (!open.some(({ table, problem }) => table === difference.table && problem === difference.problem)) continue;
      if (!needsViews && !difference.concernsRows && errorCode(error) === 'ACCESS_DENIED') continue;
      if (!isRefusal(error)) throw error;
      const subject = `${difference.table}: ${difference.problem}`;
      throw new MigrationError(`${subject}; ClickHouse refused to repair it: ${error.message}`, { cause: error });
    }
  }
  return doneRepairs;
}

/** Ignores a refusal when the change is in place: another process may have made it first. */
async function changeTable(database: Database, config: TableConfig, change: TableChange): Promise<void> {
  try {
    await database.run(change.statement);
  } catch (error) {
    const open = await tableChanges(database, config);
    if (!open.some(({ statement }) => statement === change.statement)) return;
    if (!isRefusal(error)) throw error;
    throw new MigrationError(`${change.statement} was refused by ClickHouse: ${error.message}`, { cause: error });
  }
}

const createRecord = `
  CREATE TABLE IF NOT EXISTS schema_migrations
  (
      app LowCardinality(String),
      name String,
      checksum FixedString(64),
      applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
  )
  ENGINE = ReplacingMergeTree ORDER BY (app, name)`.trim();

/** Looks for the database, and in it the table that records migrations. */
async function findRecord(
  database: Database,
  { CLICKHOUSE_DATABASE: name }: TableConfig,
): Promise<{ hasDatabase: boolean; hasRecord: boolean }> {
  const exists = async (query: string): Promise<boolean> => (await database.select(query, { name })).length > 0;
  return {
    hasDatabase: await exists('SELECT 1 FROM system.databases WHERE name = {name:String}'),
    hasRecord: await exists(
      "SELECT 1 FROM system.tables WHERE database = {name:String} AND name = 'schema_migrations'",
    ),
  };
}

/** Checksums of the applied migrations, by `app/NNNN-name`. */
async function readApplied(database: Database, config: TableConfig): Promise<Map<string, string>> {
  const { CLICKHOUSE_DATABASE } = config;
  if (!(await findRecord(database, config)).hasRecord) return new Map();
  const rows = await database.select<Pick<Migration, 'app' | 'name' | 'checksum'>>(
    'SELECT app, name, checksum FROM {name:Identifier}.schema_migrations',
    { name: CLICKHOUSE_DATABASE },
  );
  return new Map(rows.map(({ app, name, checksum }) => [`${app}/${name}`, checksum]));
}

function findPending(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): Migration[] {
  return migrations.filter((migration) => {
    const checksum = applied.get(fullName(migration));
    if (checksum !== undefined && checksum !== migration.checksum) {
      throw new MigrationError(`${fullName(migration)}.sql was changed after it was applied; add a new file instead`);
    }
    return checksum === undefined;
  });
}
