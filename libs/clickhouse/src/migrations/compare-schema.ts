import { shardDatabase, shardedTables } from '../connection/shards.js';
import { type SchemaItem } from '../schema/definitions.js';
import { itemKey, type Schema, type SchemaObject } from '../schema/schema.js';
import { readMark, readQuery, type ReplacingView } from '../schema/view-statement.js';
import { type Database } from './database.js';

/** A difference between the database and what the migrations make, and the statements that remove it. */
export interface SchemaRepair {
  /** The table or view. */
  readonly table: string;
  /** True when rows would be stored differently until it is done. */
  readonly concernsRows: boolean;
  /** Names the difference, such as `missing view`. */
  readonly problem: string;
  readonly statements: readonly string[];
}

/** A table or view that the user sees in the database. */
interface PresentObject {
  readonly engine: string;
  readonly comment: string;
  /** CREATE statement as ClickHouse writes it, which names indexes and projections. */
  readonly definition: string;
  /** The query of a view. */
  readonly query: string;
  readonly columns: ReadonlyMap<string, { readonly type: string; readonly source: string }>;
}

/** Tables and views by `database.name`. */
type PresentObjects = ReadonlyMap<string, PresentObject>;

/**
 * Compares the database with the schema of its migrations. A table or view that the user has no right to see is taken to
 * be there. Only reads.
 * @param name the main database
 */
export async function compareSchema(database: Database, name: string, schema: Schema): Promise<SchemaRepair[]> {
  const present = await readPresent(database, name);
  const repairs: SchemaRepair[] = [];
  for (const object of schema.objects) {
    const places = listPlaces(database, name, object).map((place) => ({ place, actual: present.get(place.join('.')) }));
    const missing = places.filter(({ actual }) => !actual);
    if (missing.length > 0) {
      const isVisible = await Promise.all(missing.map(({ place }) => maySee(database, place)));
      if (isVisible.includes(true)) repairs.push(repairWhole(object, `missing ${object.kind}`));
      continue;
    }
    const [reading, storing] = [places[0]?.actual, places.at(-1)?.actual];
    if (!reading || !storing) continue;
    if (object.kind === 'table') repairs.push(...compareTable(object, storing, reading));
    else repairs.push(...(await compareView(database, name, object, reading)));
  }
  return [...repairs, ...findLeftViews(present, name, schema)];
}

/** Database and name of each table for an object: of a sharded table, both the table that reads all shards and the one of the shard. */
const listPlaces = (database: Database, main: string, { name }: SchemaObject): [string, string][] =>
  database.shard && shardedTables.has(name)
    ? [
        [main, name],
        [shardDatabase(main), name],
      ]
    : [[main, name]];

const repairWhole = ({ name, kind, statements }: SchemaObject, problem: string): SchemaRepair => ({
  table: name,
  concernsRows: kind !== 'view',
  problem,
  statements,
});

/**
 * A view is what its mark says. A view that fills a table may be of a version that made no marks: it gets one if its
 * query is the same, since INSERTs would pass by while it is replaced in two steps.
 */
async function compareView(
  database: Database,
  main: string,
  object: SchemaObject,
  present: PresentObject,
): Promise<SchemaRepair[]> {
  const { view, name, kind, migration } = object;
  const mark = readMark(present.comment);
  if (!view || mark === view.mark) return [];
  if (kind === 'materialized view' && mark === undefined && (await isSameQuery(database, main, view, present))) {
    const statements = [`ALTER TABLE ${name} MODIFY COMMENT '${view.comment}'`];
    return [{ table: name, concernsRows: false, problem: `${kind} without a mark of its definition`, statements }];
  }
  return [repairWhole(object, `${kind} of another definition than ${migration} has`)];
}

async function isSameQuery(
  database: Database,
  main: string,
  view: ReplacingView,
  present: PresentObject,
): Promise<boolean> {
  const plain = present.query.replaceAll(new RegExp(`(?<![\\w.])\`?${main}\`?\\.`, 'g'), '');
  const [row] = await database.select<{ same: number }>(
    'SELECT formatQuerySingleLine({one:String}) = formatQuerySingleLine({other:String}) AS same',
    { one: plain, other: readQuery(view.statement) },
  );
  return Number(row?.same) === 1;
}

/** Views that an earlier migration made and a later one dropped: a process that was held up in between made them again. */
const findLeftViews = (present: PresentObjects, main: string, { dropped }: Schema): SchemaRepair[] =>
  [...dropped].flatMap((name) => {
    const view = present.get(`${main}.${name}`);
    if (!view || readMark(view.comment) === undefined) return [];
    const statements = [`DROP VIEW IF EXISTS ${name}`];
    return [{ table: name, concernsRows: false, problem: 'view that a migration removed', statements }];
  });

/**
 * @param storing the table that holds rows
 * @param reading the table of the main database, which is another one on shards
 */
function compareTable(table: SchemaObject, storing: PresentObject, reading: PresentObject): SchemaRepair[] {
  // The user sees no column of a table in which it may neither read nor write.
  if (storing.columns.size === 0) return [];
  const { name, items, removed } = table;
  const repair = (problem: string, ...statements: string[]): SchemaRepair => ({
    table: name,
    concernsRows: true,
    problem,
    statements: statements.map((change) => `ALTER TABLE ${name} ${change}`),
  });
  const repairs = [...items.values()].flatMap((item): SchemaRepair[] => {
    const problem = findProblem(item, storing);
    if (problem === undefined) return [];
    if (item.kind === 'COLUMN' && storing.columns.has(item.name))
      return [repair(problem, `MODIFY COLUMN ${item.definition}`)];
    const add = `ADD ${item.kind} IF NOT EXISTS ${item.definition}`;
    return [repair(problem, add, ...(item.kind === 'PROJECTION' ? [`MATERIALIZE PROJECTION ${item.name}`] : []))];
  });
  for (const item of removed.values())
    if (isPresent(item, storing)) {
      const problem = `${itemKey(item).toLowerCase()}, which a migration removed`;
      repairs.push(repair(problem, `DROP ${item.kind} IF EXISTS ${item.name}`));
    }
  if (reading !== storing && [...storing.columns.keys()].some((column) => !reading.columns.has(column))) {
    repairs.push(repairWhole({ ...table, statements: table.statements.slice(0, 1) }, 'lacks columns of its shards'));
  }
  return repairs;
}

function findProblem(item: SchemaItem, table: PresentObject): string | undefined {
  const { kind, name } = item;
  if (!isPresent(item, table)) return `missing ${kind.toLowerCase()} ${name}`;
  const column = kind === 'COLUMN' ? table.columns.get(name) : undefined;
  if (!column) return undefined;
  const [expected, present] = [describe(item.type, item.source), describe(column.type, column.source)];
  return expected === present ? undefined : `column ${name} is ${present} and not ${expected}`;
}

/** Type and kind of default of a column, in one form. */
const describe = (type = '', source = ''): string => `${type.replaceAll(/\s/g, '')} ${source}`.trim();

const isPresent = (
  { kind, name }: Pick<SchemaItem, 'kind' | 'name'>,
  { columns, definition }: PresentObject,
): boolean => (kind === 'COLUMN' ? columns.has(name) : new RegExp(`\\b${kind} \`?${name}\`? `).test(definition));

async function readPresent(database: Database, main: string): Promise<PresentObjects> {
  const parameters = { names: [main, ...(database.shard ? [shardDatabase(main)] : [])] };
  const tables = await database.select<Omit<PresentObject, 'columns'> & { place: string }>(
    `SELECT concat(database, '.', name) AS place, engine, comment, create_table_query AS definition, as_select AS query
     FROM system.tables WHERE database IN {names:Array(String)}`,
    parameters,
  );
  const columns = await database.select<{ place: string; name: string; type: string; source: string }>(
    `SELECT concat(database, '.', table) AS place, name, type, default_kind AS source
     FROM system.columns WHERE database IN {names:Array(String)}`,
    parameters,
  );
  const columnsByPlace = Map.groupBy(columns, ({ place }) => place);
  return new Map(
    tables.map(({ place, ...table }) => {
      const tableColumns = columnsByPlace.get(place) ?? [];
      return [place, { ...table, columns: new Map(tableColumns.map((column) => [column.name, column])) }];
    }),
  );
}

/** True when the user would see this table or view if it was there. */
function maySee(database: Database, place: [string, string]): Promise<boolean> {
  const [main, name] = place.map((part) => `\`${part.replace(/[`\\]/g, '\\$&')}\``);
  return database.isGranted(`SHOW TABLES ON ${main}.${name}`);
}
