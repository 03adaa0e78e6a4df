import { type Target, countRaw, systemTable } from './erase-rows.js';
import { inParallel } from './in-parallel.js';
import { type HashedPeople, type PersonId } from './people.js';
import { identity } from './person-tables.js';
import { sessionsQuestion, timelineQuestion, type ViewQuestion, viewQuestions } from './person-views.js';
import { countOf, placeOf, select, type TableServers } from './servers.js';

/** A way by which rows of an erased person can still be read. */
export interface Finding {
  /** Such as `events`, `events FINAL`, `events projection by_person`, `view user_timeline`. */
  readonly path: string;
  readonly rows: number;
}

/** Ids that the questions to views need, and the days of the people's events. */
export interface Asked {
  readonly ids: readonly PersonId[];
  readonly people: readonly HashedPeople[];
  readonly days: readonly { readonly source: string; readonly day: string }[];
}

/**
 * Upper bound of the questions about a batch to each view that takes one id or one day: user_timeline and sessions. Rows of
 * all ids were looked for in every part and projection before: these questions only check that the views agree.
 */
const maxQuestions = 25;

/** Reads at once. Each reads a large table with all cores. */
const atOnce = 4;

/** Tries every way by which a row of these people can be read. @returns the ways that show one; empty if none does */
export async function verifyRows(servers: TableServers, targets: readonly Target[], asked: Asked): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const target of targets) findings.push(...(await verifyTable(target)));
  findings.push(...(await verifyViews(servers, asked)));
  return findings.filter(({ rows }) => rows > 0);
}

/** The cheapest of these reads, for people who were verified before. */
export async function verifyRaw(targets: readonly Target[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const target of targets) findings.push({ path: target.table, rows: await countRaw(target) });
  return findings.filter(({ rows }) => rows > 0);
}

async function verifyTable(target: Target): Promise<Finding[]> {
  const { server, table, condition } = target;
  const where = server.name === '' ? '' : ` on ${server.name}`;
  const place = placeOf(server, table);
  const findings = [
    { path: `${table}${where}`, rows: await countRaw(target) },
    {
      path: `${table} FINAL${where}`,
      rows: await countOf(
        server.client,
        `SELECT count() AS n FROM ${place} FINAL WHERE ${condition}`,
        {},
        {
          optimize_use_projections: 0,
        },
      ),
    },
    {
      path: `${table} as its reader plans it${where}`,
      rows: await countOf(server.client, `SELECT count() AS n FROM ${place} WHERE ${condition}`),
    },
  ];
  for (const [projection, own] of await projectionsOf(target)) {
    const query = `SELECT count() AS n FROM mergeTreeProjection({database:String}, {table:String}, {projection:String}) WHERE ${own}`;
    const parameters = { database: server.databaseOf(table), table, projection };
    findings.push({
      path: `${table} projection ${projection}${where}`,
      rows: await countOf(server.client, query, parameters),
    });
  }
  const left = await countOf(
    server.client,
    `SELECT count() AS n FROM ${systemTable(server, 'projection_parts')}
     WHERE database = {database:String} AND table = {table:String} AND active AND parent_rows != rows
       AND name IN (SELECT name FROM system.projections WHERE database = {database:String} AND table = {table:String} AND type = 'Normal')`,
    { database: server.databaseOf(table), table },
  );
  findings.push({ path: `${table} parts whose projections have other rows${where}`, rows: left });
  return findings;
}

/** Projections that hold ids, each with the condition for its columns. The others hold sums, or places of messages. */
async function projectionsOf({ server, table, condition }: Target): Promise<[string, string][]> {
  const database = server.databaseOf(table);
  const projections = await select<{ name: string }>(
    server.client,
    `SELECT name FROM system.projections WHERE database = {database:String} AND table = {table:String} AND type = 'Normal'`,
    { database, table },
  );
  const found: [string, string][] = [];
  for (const { name } of projections) {
    const columns = await select<{ name: string }>(
      server.client,
      `DESCRIBE mergeTreeProjection({database:String}, {table:String}, {name:String})`,
      { database, table, name },
    );
    const has = new Set(columns.map((column) => column.name));
    if (!has.has('user_id') || !has.has('anonymous_id')) continue;
    // A projection without the time of arrival cannot distinguish a person from the one who came back.
    if (!has.has('received_at') && condition.includes('received_at')) continue;
    found.push([name, has.has('identity') ? condition : condition.replaceAll(/\bidentity\b/g, identity)]);
  }
  return found;
}

async function verifyViews({ reader }: TableServers, { ids, people, days }: Asked): Promise<Finding[]> {
  const bySource = new Map(people.filter(({ before }) => before === undefined).map((one) => [one.source, one]));
  const timelines = ids.flatMap((id): ViewQuestion[] => {
    const those = bySource.get(id.source);
    return those && id.kind !== 'seller' ? [timelineQuestion(id, those)] : [];
  });
  const sessions = days.flatMap(({ source, day }): ViewQuestion[] => {
    const those = bySource.get(source);
    return those ? [sessionsQuestion(those, day)] : [];
  });
  const questions = [...viewQuestions(people), ...spread(timelines, maxQuestions), ...spread(sessions, maxQuestions)];
  const findings = new Map<string, number>();
  const count = async ({ view, query, parameters }: ViewQuestion): Promise<void> => {
    const rows = await countOf(reader, query, { ...parameters });
    findings.set(view, (findings.get(view) ?? 0) + rows);
  };
  await inParallel(questions, count, atOnce);
  return [...findings].map(([view, rows]) => ({ path: `view ${view}`, rows }));
}

/** At most `max` of the items, spread over the list. */
const spread = <T>(items: readonly T[], max: number): T[] =>
  items.filter((_, at) => at % Math.ceil(items.length / max) === 0);
