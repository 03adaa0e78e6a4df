import { toIso } from '@sluice/clickhouse';
import { type ShownCatalogIssue } from '@sluice/console-api';
import { type SelectRows } from '../plans/select-rows.js';

/** An issue of one entity, with its ids as they were sent: docs/tables.md#catalog_issues. */
export type EntityIssue = Omit<ShownCatalogIssue, 'isMasked'>;

export interface CatalogIssues {
  /** Number of entities with each issue; the most frequent first. */
  readonly counts: readonly { readonly issue: string; readonly entities: number }[];
  /** Those that most events touched first. */
  readonly issues: readonly EntityIssue[];
}

export interface IssuesQuestion {
  /** Source of the catalog. */
  readonly catalog: string;
  /** Source of the events by which the worst issues are found. */
  readonly source: string;
  /** Days after which an entity that no message stated is an issue. */
  readonly days: number;
  /** Upper bound of the issues that are listed. */
  readonly limit: number;
}

/** One row for each issue, so that the view, which is the slow part, is read once. */
const makeQuery = (limit: number): string => `SELECT issue, toString(count()) AS entities,
    groupArraySorted(${limit})((-toInt64(events), toString(entity), entity_id, names, toString(since))) AS worst
  FROM catalog_issues(source = {source:String}, catalog = {catalog:String}, days = {days:String})
  GROUP BY issue ORDER BY count() DESC, issue`;

/** An issue with its entities, those that most events touched first. */
interface IssueRow {
  readonly issue: string;
  readonly entities: string;
  readonly worst: readonly (readonly [
    negativeEvents: number | string,
    entity: EntityIssue['entity'],
    entityId: string,
    names: string,
    since: string,
  ])[];
}

/** Reads what is wrong with a catalog, the worst first. */
export async function readCatalogIssues(
  select: SelectRows,
  { catalog, source, days, limit }: IssuesQuestion,
): Promise<CatalogIssues> {
  const rows = await select<IssueRow>(makeQuery(limit), { catalog, source, days: String(days) });
  return {
    counts: rows.map(({ issue, entities }) => ({ issue, entities: Number(entities) })),
    issues: pickWorst(rows, limit),
  };
}

/** The worst of all issues together, from the worst of each. */
const pickWorst = (rows: readonly IssueRow[], limit: number): EntityIssue[] =>
  rows
    .flatMap(({ issue, worst }) =>
      worst.map(([negativeEvents, entity, entityId, names, since]) => ({
        ...{ entity, entityId, issue, names },
        since: toIso(since),
        events: Math.abs(Number(negativeEvents)),
      })),
    )
    .toSorted((issue, otherIssue) => otherIssue.events - issue.events)
    .slice(0, limit);
