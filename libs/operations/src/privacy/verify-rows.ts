import { type ErasureTarget, countRaw, systemTable } from './erase-rows.js';
import { inParallel } from './in-parallel.js';
import { type HashedPeople, type PersonId } from './people.js';
import { identity } from './person-tables.js';
import { sessionsQuestion, timelineQuestion, type ViewQuestion, viewQuestions } from './person-views.js';
import { readCount, quoteTable, queryRows, type TableServers } from './servers.js';

/** A way by which rows of an erased person can still be read. */
export interface Finding {
  /** Such as `events`, `events FINAL`, `events projection by_person`, `view user_timeline`. */
  readonly path: string;
  readonly rows: number;
}

/** Ids that the questions to views need, and the days of the people's events. */
export interface PeopleToVerify {
  readonly ids: readonly PersonId[];
  readonly people: readonly HashedPeople[];
  readonly days: readonly { readonly source: string; readonly day: string }[];
}

/**
 * Upper bound of the questions about a batch to each view that takes one id or one day: user_timeline and sessions. Rows of
 * all ids were looked for in every part and projection before: these questions only check that the views agree.
 */
const maxQuestions = 25;

/** Upper bound of the sources of a batch for which the other views are asked, each by itself, for the same reason. */
const maxSources = 100;

/** Reads at once. Each reads a large table with all cores. */
const atOnce = 4;

/** Tries every way by which a row of these people can be read. @returns the ways that show one; empty if none does */
export async function verifyRows(
  servers: TableServers,
  targets: readonly ErasureTarget[],
  peopleToVerify: PeopleToVerify,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const target of targets) findings.push(...(await verifyTable(target)));
  findings.push(...(await verifyViews(servers, peopleToVerify)));
  return findings.filter(({ rows }) => rows > 0);
}

/** The cheapest of these reads, for people who were verified before. */
export async function verifyRaw(targets: readonly ErasureTarget[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const target of targets) findings.push({ path: target.table, rows: await countRaw(target) });
  return findings.filter(({ rows }) => rows > 0);
}

async function verifyTable(target: ErasureTarget): Promise<Finding[]> {
  const { server, table, condition } = target;
  const suffix = `${target.isOfOthers ? ' of others' : ''}${server.name === '' ? '' : ` on ${server.name}`}`;
  const tableName = quoteTable(server, table);
  const findings = [
    { path: `${table}${suffix}`, rows: await countRaw(target) },
    {
      path: `${table} FINAL${suffix}`,
      rows: await readCount(
        server.client,
        `SELECT count() AS n FROM ${tableName} FINAL WHERE ${condition}`,
        {},
        {
          optimize_use_projections: 0,
        },
      ),
    },
    {
      path: `${table} as its reader plans it${suffix}`,
      rows: await readCount(server.client, `SELECT count() AS n FROM ${tableName} WHERE ${condition}`),
    },
  ];
  for (const [projection, projectionCondition] of await findProjections(target)) {
    const query = `SELECT count() AS n FROM mergeTreeProjection({database:String}, {table:String}, {projection:String}) WHERE ${projectionCondition}`;
    const parameters = { database: server.databaseOf(table), table, projection };
    findings.push({
      path: `${table} projection ${projection}${suffix}`,
      rows: await readCount(server.client, query, parameters),
    });
  }
  const mismatchedParts = await readCount(
    server.client,
    `SELECT count() AS n FROM ${systemTable(server, 'projection_parts')}
     WHERE database = {database:String} AND table = {table:String} AND active AND parent_rows != rows
       AND name IN (SELECT name FROM system.projections WHERE database = {database:String} AND table = {table:String} AND type = 'Normal')`,
    { database: server.databaseOf(table), table },
  );
  findings.push({ path: `${table} parts whose projections have other rows${suffix}`, rows: mismatchedParts });
  return findings;
}

/** Projections that hold ids, each with the condition for its columns. The others hold sums, or places of messages. */
async function findProjections({ server, table, condition, reads }: ErasureTarget): Promise<[string, string][]> {
  const database = server.databaseOf(table);
  const projections = await queryRows<{ name: string }>(
    server.client,
    `SELECT name FROM system.projections WHERE database = {database:String} AND table = {table:String} AND type = 'Normal'`,
    { database, table },
  );
  const conditions: [string, string][] = [];
  for (const { name } of projections) {
    const columns = await queryRows<{ name: string }>(
      server.client,
      `DESCRIBE mergeTreeProjection({database:String}, {table:String}, {name:String})`,
      { database, table, name },
    );
    const columnNames = new Set(columns.map((column) => column.name));
    if (!['user_id', 'anonymous_id', ...reads].every((column) => columnNames.has(column))) continue;
    // A projection without the time of arrival cannot distinguish a person from the one who came back.
    if (!columnNames.has('received_at') && condition.includes('received_at')) continue;
    conditions.push([name, columnNames.has('identity') ? condition : condition.replaceAll(/\bidentity\b/g, identity)]);
  }
  return conditions;
}

async function verifyViews({ reader }: TableServers, { ids, people, days }: PeopleToVerify): Promise<Finding[]> {
  const peopleBySource = new Map(
    people
      .filter(({ before }) => before === undefined)
      .map((peopleOfSource) => [peopleOfSource.source, peopleOfSource]),
  );
  const timelines = ids.flatMap((id): ViewQuestion[] => {
    const peopleOfSource = peopleBySource.get(id.source);
    return peopleOfSource && id.kind !== 'seller' ? [timelineQuestion(id, peopleOfSource)] : [];
  });
  const sessions = days.flatMap(({ source, day }): ViewQuestion[] => {
    const peopleOfSource = peopleBySource.get(source);
    return peopleOfSource ? [sessionsQuestion(peopleOfSource, day)] : [];
  });
  const questions = [
    ...viewQuestions(sampleEvenly(people, maxSources)),
    ...sampleEvenly(timelines, maxQuestions),
    ...sampleEvenly(sessions, maxQuestions),
  ];
  const findings = new Map<string, number>();
  const countView = async ({ view, query, parameters }: ViewQuestion): Promise<void> => {
    const rows = await readCount(reader, query, { ...parameters });
    findings.set(view, (findings.get(view) ?? 0) + rows);
  };
  await inParallel(questions, countView, atOnce);
  return [...findings].map(([view, rows]) => ({ path: `view ${view}`, rows }));
}

/** At most `max` of the items, spread over the list. */
const sampleEvenly = <T>(items: readonly T[], max: number): T[] =>
  items.filter((_, index) => index % Math.ceil(items.length / max) === 0);
