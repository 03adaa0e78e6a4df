import { type Range } from '../http/range.js';
import { timeParameter } from '../servers/tables.js';
import { type SamplePlace } from './sample-cursor.js';

export interface Conditions extends Range {
  source?: string;
  reason?: string;
  /** Text that the reason contains. */
  text?: string;
}

export interface GroupPage {
  skip: number;
  limit: number;
}

/** Columns of a sample; the body is read for one at a time. */
export const sampleColumns = `toString(request_id) AS requestId, received_at AS at, source_id AS source,
  claimed_source AS claimed, origin, method, route, status, reason, kind,
  problems, user_agent AS userAgent, body != '' AS hasBody`;

/** Exact counts by source and reason. */
export const groupsQuery = (conditions: Conditions, { skip, limit }: GroupPage): string =>
  `SELECT *, count() OVER () AS found FROM (
     SELECT source_id AS source, if(kind = 'count', counted, kind) AS what, reason, sumIf(requests, kind = 'count') AS count,
       max(received_at) AS newest, min(received_at) AS oldest
     FROM refused_requests WHERE counted NOT IN ('accepted', 'key') AND ${where(conditions)}
     GROUP BY source, what, reason)
   ORDER BY count DESC, newest DESC, source, what, reason LIMIT ${limit} OFFSET ${skip}`;

/** Samples by source and reason, of requests that only claim a source. */
export const claimsQuery = (conditions: Conditions, { skip, limit }: GroupPage): string =>
  `SELECT *, count() OVER () AS found FROM (
     SELECT claimed_source AS source, kind AS what, reason, toString(count()) AS count,
       max(received_at) AS newest, min(received_at) AS oldest
     FROM refused_requests WHERE kind != 'count' AND ${whereClaimed(conditions)}
     GROUP BY source, what, reason)
   ORDER BY toUInt64(count) DESC, newest DESC, source, what, reason LIMIT ${limit} OFFSET ${skip}`;

/** Most sources that a group names. */
export const maxClaimedSources = 5;

/** Sources that the samples of groups without a source claim to be. */
export const claimedSourcesQuery = (conditions: Conditions): string =>
  `SELECT *, count() OVER (PARTITION BY what, reason) AS found FROM (
     SELECT claimed_source AS source, kind AS what, reason, toString(count()) AS count
     FROM refused_requests
     WHERE kind != 'count' AND source_id = '' AND reason IN {reasons:Array(String)} AND ${whereClaimed(conditions)}
     GROUP BY source, what, reason)
   ORDER BY toUInt64(count) DESC, source LIMIT ${maxClaimedSources} BY what, reason`;

/** Problems of some samples of each group, for the groups of a page: they are the large part of the table. */
export const problemsQuery = (conditions: Conditions, isClaim: boolean): string =>
  `SELECT ${isClaim ? 'claimed_source' : 'source_id'} AS source, kind AS what, reason, groupArraySample(50)(problems) AS texts
   FROM refused_requests
   WHERE kind != 'count' AND ${isClaim ? 'claimed_source' : 'source_id'} IN {sources:Array(String)}
     AND reason IN {reasons:Array(String)} AND ${isClaim ? whereClaimed(conditions) : where(conditions)}
   GROUP BY source, what, reason`;

export const samplesQuery = (conditions: Conditions, isClaim: boolean, after: SamplePlace | undefined): string =>
  `SELECT ${sampleColumns} FROM refused_requests
   WHERE kind != 'count' AND ${isClaim ? whereClaimed(conditions) : `claimed_source = '' AND ${where(conditions)}`}${
     after === undefined
       ? ''
       : ` AND received_at <= {afterAt:DateTime64(3)}
     AND (received_at, request_id, kind) < ({afterAt:DateTime64(3)}, {afterId:UUID}, {afterKind:String})`
   }
   ORDER BY received_at DESC, request_id DESC, kind DESC LIMIT {limit:UInt32}`;

const whereClaimed = ({ source, ...conditions }: Conditions): string =>
  `${where(conditions)} AND claimed_source ${source === undefined ? "!= ''" : '= {source:String}'}`;

const where = ({ source, reason, text }: Omit<Conditions, 'from' | 'to'>): string =>
  [
    'received_at >= {from:DateTime64(3)} AND received_at < {to:DateTime64(3)}',
    ...(source === undefined ? [] : ['source_id = {source:String}']),
    ...(reason === undefined ? [] : ['reason = {reason:String}']),
    ...(text === undefined ? [] : ['positionCaseInsensitiveUTF8(reason, {text:String}) > 0']),
  ].join(' AND ');

export const refusedParameters = ({ from, to, source = '', reason = '', text = '' }: Conditions) => ({
  from: timeParameter(from),
  to: timeParameter(to),
  source,
  reason,
  text,
});
