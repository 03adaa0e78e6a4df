import { shardDatabase, shardedTables } from '../connection/shards.js';
import { type Item } from '../schema/definitions.js';
import { keyOf, type Schema, type SchemaObject } from '../schema/schema.js';
import { markOf, queryOf, type ReplacingView } from '../schema/view-statement.js';
import { type Database } from './database.js';

/** A difference between the database and what the migrations make, and the statements that remove it. */
export interface SchemaRepair {
  /** The table or view. */
  readonly table: string;
  /** Whether rows would be stored otherwise until it is done. */
  readonly concernsRows: boolean;
  /** Names the difference, such as `missing view`. */
  readonly problem: string;
  readonly statements: readonly string[];
}

/** A table or view that the user sees in the database. */
interface Present {
  readonly engine: string;
  readonly comment: string;
  /** Its CREATE statement as ClickHouse writes it, which names indexes and projections. */
  readonly definition: string;
  /** The query of a view. */
  readonly query: string;
  readonly columns: ReadonlyMap<string, { readonly type: string; readonly source: string }>;
}

/** Tables and views by `database.name`. */
type PresentObjects = ReadonlyMap<string, Present>;

/**
 * Compares the database with the schema of its migrations. A table or view that the user has no right to see is taken to
 * be there. Only reads.
 * @param name the main database
 */
export async function compareSchema(database: Database, name: string, schema: Schema): Promise<SchemaRepair[]> {
  const present = await readPresent(database, name);
  const repairs: SchemaRepair[] = [];
  for (const object of schema.objects) {
    const places = placesOf(database, name, object).map((place) => ({ place, found: present.get(place.join('.')) }));
    const missing = places.filter(({ found }) => !found);
    if (missing.length > 0) {
      const isVisible = await Promise.all(missing.map(({ place }) => maySee(database, place)));
      if (isVisible.includes(true)) repairs.push(whole(object, `missing ${object.kind}`));
      continue;
    }
    const [reading, storing] = [places[0]?.found, places.at(-1)?.found];
    if (!reading || !storing) continue;
    if (object.kind === 'table') repairs.push(...compareTable(object, storing, reading));
    else repairs.push(...(await compareView(database, name, object, reading)));
  }
  return [...repairs, ...leftViews(present, name, schema)];
}

/** Database and name of each table for an object: of a sharded table the one that reads all shards, and the shard's. */
const placesOf = (database: Database, main: string, { name }: SchemaObject): [string, string][] =>
  database.shard && shardedTables.has(name)
    ? [
        [main, name],
        [shardDatabase(main), name],
      ]
    : [[main, name]];

const whole = ({ name, kind, statements }: SchemaObject, problem: string): SchemaRepair => ({
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
  present: Present,
): Promise<SchemaRepair[]> {
  const { view, name, kind, migration } = object;
  const mark = markOf(present.comment);
  if (!view || mark === view.mark) return [];
  if (kind === 'materialized view' && mark === undefined && (await isSameQuery(database, main, view, present))) {
    const statements = [`ALTER TABLE ${name} MODIFY COMMENT '${view.comment}'`];
    return [{ table: name, concernsRows: false, problem: `${kind} without a mark of its definition`, statements }];
  }
  return [whole(object, `${kind} of another definition than ${migration} has`)];
}

async function isSameQuery(database: Database, main: string, view: ReplacingView, present: Present): Promise<boolean> {
  const plain = present.query.replaceAll(new RegExp(`(?<![\\w.])\`?${main}\`?\\.`, 'g'), '');
  const [row] = await database.select<{ same: number }>(
    'SELECT formatQuerySingleLine({one:String}) = formatQuerySingleLine({other:String}) AS same',
    { one: plain, other: queryOf(view.statement) },
  );
  return Number(row?.same) === 1;
}

/** Views that an earlier migration made and a later one dropped: a process that was held up in between made them again. */
const leftViews = (present: PresentObjects, main: string, { dropped }: Schema): SchemaRepair[] =>
  [...dropped].flatMap((name) => {
    const found = present.get(`${main}.${name}`);
    if (!found || markOf(found.comment) === undefined) return [];
    const statements = [`DROP VIEW IF EXISTS ${name}`];
    return [{ table: name, concernsRows: false, problem: 'view that a migration removed', statements }];
  });

/**
 * @param storing the table that holds rows
 * @param reading the table of the main database, which is another one on shards
 */
function compareTable(table: SchemaObject, storing: Present, reading: Present): SchemaRepair[] {
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
    const problem = problemOf(item, storing);
    if (problem === undefined) return [];
    if (item.kind === 'COLUMN' && storing.columns.has(item.name))
      return [repair(problem, `MODIFY COLUMN ${item.definition}`)];
    const add = `ADD ${item.kind} IF NOT EXISTS ${item.definition}`;
    return [repair(problem, add, ...(item.kind === 'PROJECTION' ? [`MATERIALIZE PROJECTION ${item.name}`] : []))];
  });
  for (const item of removed.values())
    if (isPresent(item, storing)) {
      const what = `${keyOf(item).toLowerCase()}, which a migration removed`;
      repairs.push(repair(what, `DROP ${item.kind} IF EXISTS ${item.name}`));
    }
  if (reading !== storing && [...storing.columns.keys()].some((column) => !reading.columns.has(column))) {
    repairs.push(whole({ ...table, statements: table.statements.slice(0, 1) }, 'lacks columns of its shards'));
  }
  return repairs;
}

function problemOf(item: Item, table: Present): string | undefined {
  const { kind, name } = item;
  if (!isPresent(item, table)) return `missing ${kind.toLowerCase()} ${name}`;
  const column = kind === 'COLUMN' ? table.columns.get(name) : undefined;
  if (!column) return undefined;
  const [own, present] = [describe(item.type, item.source), describe(column.type, column.source)];
  return own === present ? undefined : `column ${name} is ${present} and not ${own}`;
}

/** Type and kind of default of a column, in one form. */
const describe = (type = '', source = ''): string => `${type.replaceAll(/\s/g, '')} ${source}`.trim();

const isPresent = ({ kind, name }: Pick<Item, 'kind' | 'name'>, { columns, definition }: Present): boolean =>
  kind === 'COLUMN' ? columns.has(name) : new RegExp(`\\b${kind} \`?${name}\`? `).test(definition);

async function readPresent(database: Database, main: string): Promise<PresentObjects> {
  const parameters = { names: [main, ...(database.shard ? [shardDatabase(main)] : [])] };
  const tables = await database.select<Omit<Present, 'columns'> & { place: string }>(
    `SELECT concat(database, '.', name) AS place, engine, comment, create_table_query AS definition, as_select AS query
     FROM system.tables WHERE database IN {names:Array(String)}`,
    parameters,
  );
  const columns = await database.select<{ place: string; name: string; type: string; source: string }>(
    `SELECT concat(database, '.', table) AS place, name, type, default_kind AS source
     FROM system.columns WHERE database IN {names:Array(String)}`,
    parameters,
  );
  const columnsOf = Map.groupBy(columns, ({ place }) => place);
  return new Map(
    tables.map(({ place, ...table }) => {
      const own = columnsOf.get(place) ?? [];
      return [place, { ...table, columns: new Map(own.map((column) => [column.name, column])) }];
    }),
  );
}

/** Whether the user would see this table or view if it was there. */
function maySee(database: Database, place: [string, string]): Promise<boolean> {
  const [main, name] = place.map((part) => `\`${part.replace(/[`\\]/g, '\\$&')}\``);
  return database.isGranted(`SHOW TABLES ON ${main}.${name}`);
}
