import { toClickHouseTime } from '@sluice/clickhouse';

/** Conditions that select refusals. */
export interface RefusalConditions {
  from: Date;
  /** Excluded; without it, refusals until now are selected. */
  to?: Date;
  source?: string;
  reason?: string;
  /** Text that the reason contains. */
  text?: string;
}

/** A page of groups. */
export interface GroupPage {
  skip: number;
  limit: number;
}

/** Place in samples that are ordered by time, request and kind, newest first. */
export interface SamplePlace {
  /** Text of a `DateTime64(3)`. */
  time: string;
  requestId: string;
  kind: string;
}

/** Refusals by the source that a key proves are `own`; those by the source that a request without a valid key names are `claims`. */
export type RefusalPart = 'own' | 'claims';

/** Max number of sources that a group names. */
const maxClaimedSources = 5;

/** Columns of a sample; the body is read for one at a time. */
export const sampleColumns = `toString(request_id) AS requestId, received_at AS at, source_id AS source,
  claimed_source AS claimed, origin, method, route, status, reason, kind,
  problems, user_agent AS userAgent, body != '' AS hasBody`;

/**
 * Exact counts by source and reason. No alias has the name of a column that WHERE reads: ClickHouse would take the alias.
 * @param hasSamples whether a sample makes a group, too, while its count is not stored yet
 */
export const groupsQuery = (conditions: RefusalConditions, { skip, limit }: GroupPage, hasSamples: boolean): string =>
  `SELECT *, count() OVER () AS found FROM (
     SELECT source_id AS source, if(kind = 'count', counted, kind) AS what, reason, sumIf(requests, kind = 'count') AS count,
       max(received_at) AS newest, min(received_at) AS oldest
     FROM refused_requests WHERE counted NOT IN ('accepted', 'key') AND ${hasSamples ? '' : "kind = 'count' AND "}${where(conditions)}
     GROUP BY source, what, reason)
   ORDER BY count DESC, newest DESC, source, what, reason LIMIT ${limit} OFFSET ${skip}`;

/** Samples by source and reason, of requests that only claim a source. */
export const claimsQuery = (conditions: RefusalConditions, { skip, limit }: GroupPage): string =>
  `SELECT *, count() OVER () AS found FROM (
     SELECT claimed_source AS source, kind AS what, reason, toString(count()) AS count,
       max(received_at) AS newest, min(received_at) AS oldest
     FROM refused_requests WHERE kind != 'count' AND ${whereClaimed(conditions)}
     GROUP BY source, what, reason)
   ORDER BY toUInt64(count) DESC, newest DESC, source, what, reason LIMIT ${limit} OFFSET ${skip}`;

/** Sources that the samples of groups without a source claim to be. */
export const claimedSourcesQuery = (conditions: RefusalConditions): string =>
  `SELECT *, count() OVER (PARTITION BY what, reason) AS found FROM (
     SELECT claimed_source AS source, kind AS what, reason, toString(count()) AS count
     FROM refused_requests
     WHERE kind != 'count' AND source_id = '' AND reason IN {reasons:Array(String)} AND ${whereClaimed(conditions)}
     GROUP BY source, what, reason)
   ORDER BY toUInt64(count) DESC, source LIMIT ${maxClaimedSources} BY what, reason`;

/** Problems of some samples of each group, for the groups of a page: they are the large part of the table. */
export function problemsQuery(conditions: RefusalConditions, part: RefusalPart): string {
  const column = part === 'claims' ? 'claimed_source' : 'source_id';
  return `SELECT ${column} AS source, kind AS what, reason, groupArraySample(50)(problems) AS texts
   FROM refused_requests
   WHERE kind != 'count' AND ${column} IN {sources:Array(String)}
     AND reason IN {reasons:Array(String)} AND ${part === 'claims' ? whereClaimed(conditions) : where(conditions)}
   GROUP BY source, what, reason`;
}

/** Samples, newest first. */
export const samplesQuery = (
  conditions: RefusalConditions,
  part: RefusalPart,
  place: SamplePlace | undefined,
): string =>
  `SELECT ${sampleColumns} FROM refused_requests
   WHERE kind != 'count' AND ${part === 'claims' ? whereClaimed(conditions) : `claimed_source = '' AND ${where(conditions)}`}${
     place === undefined
       ? ''
       : ` AND received_at <= {afterTime:DateTime64(3)}
     AND (received_at, request_id, kind) < ({afterTime:DateTime64(3)}, {afterId:UUID}, {afterKind:String})`
   }
   ORDER BY received_at DESC, request_id DESC, kind DESC LIMIT {limit:UInt32}`;

const whereClaimed = ({ source, ...conditions }: RefusalConditions): string =>
  `${where(conditions)} AND claimed_source ${source === undefined ? "!= ''" : '= {source:String}'}`;

const where = ({ to, source, reason, text }: RefusalConditions): string =>
  [
    'received_at >= {from:DateTime64(3)}',
    ...(to === undefined ? [] : ['received_at < {to:DateTime64(3)}']),
    ...(source === undefined ? [] : ['source_id = {source:String}']),
    ...(reason === undefined ? [] : ['reason = {reason:String}']),
    ...(text === undefined ? [] : ['positionCaseInsensitiveUTF8(reason, {text:String}) > 0']),
  ].join(' AND ');

/** Parameters of each of the queries. */
export const refusalParameters = ({ from, to, source = '', reason = '', text = '' }: RefusalConditions) => ({
  from: toClickHouseTime(from),
  ...(to && { to: toClickHouseTime(to) }),
  source,
  reason,
  text,
});
