import { buildSchema } from '@sluice/clickhouse';
import { type TableServer } from '../privacy/servers.js';
import { findMigrations } from '../status/migration-files.js';
import { selectFrom } from './select-rows.js';

/** A table as its migrations declare it, or as ClickHouse has it. */
export interface TableDeclaration {
  readonly table: string;
  readonly settings: ReadonlyMap<string, string>;
  /** Time at which a row is deleted, as ClickHouse writes it; undefined without a TTL. */
  readonly ttl: string | undefined;
  readonly projections: ReadonlySet<string>;
}

/** A table that a server has, next to its declaration. */
export interface ComparedTable {
  readonly declared: TableDeclaration;
  readonly present: TableDeclaration;
}

/** Reads what the migrations declare. */
export async function readDeclarations(): Promise<TableDeclaration[]> {
  const { objects } = buildSchema(await findMigrations());
  return objects
    .filter(({ kind }) => kind === 'table')
    .map(({ name: table, statements, items }) => {
      const text = statements
        .map((statement) => /\bENGINE\s*=[^]*$|\bMODIFY SETTING\b[^]*$/.exec(statement)?.[0] ?? '')
        .join('\n');
      const [, time, days] = /\bTTL (.+?) \+ INTERVAL (\d+) DAY\b/.exec(text) ?? [];
      const projections = [...items.values()].flatMap(({ kind, name }) => (kind === 'PROJECTION' ? [name] : []));
      return {
        table,
        settings: readSettings(text),
        ttl: days === undefined ? undefined : `${time} + toIntervalDay(${days})`,
        projections: new Set(projections),
      };
    });
}

/** The tables of a server that the migrations declare. */
export async function compareTables(server: TableServer): Promise<ComparedTable[]> {
  const declarations = await readDeclarations();
  const places = declarations.map(({ table }) => `${server.databaseOf(table)}.${table}`);
  const rows = await selectFrom<{ name: string; storage: string; definition: string }>(
    server,
    `SELECT name, engine_full AS storage, create_table_query AS definition FROM system.tables
     WHERE concat(database, '.', name) IN {places:Array(String)} AND engine LIKE '%MergeTree'`,
    { places },
  );
  return declarations.flatMap((declared) => {
    const row = rows.find(({ name }) => name === declared.table);
    return row ? [{ declared, present: readPresent(row) }] : [];
  });
}

function readPresent({
  name,
  storage,
  definition,
}: {
  name: string;
  storage: string;
  definition: string;
}): TableDeclaration {
  const [, ttl] = / TTL (.+?)(?: SETTINGS |$)/.exec(storage) ?? [];
  return {
    table: name,
    settings: readSettings(/ SETTINGS (.+)$/.exec(storage)?.[1] ?? ''),
    ttl,
    projections: new Set([...definition.matchAll(/\bPROJECTION `?(\w+)`? /g)].map(([, projection = '']) => projection)),
  };
}

/** Settings of a table by name. On a cluster the window of tokens has another name. */
const readSettings = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/\b([a-z_]+)\s*=\s*('[^']*'|[\w.]+)/g)]
      .filter(([, name]) => name !== 'ENGINE')
      .map(([, name = '', value = '']) => [name.replace(/^non_(?=replicated_deduplication_window$)/, ''), value]),
  );
