import { toClickHouseTime, toIso } from '@sluice/clickhouse';
import { type RefusalReason, type RefusedMessageRow } from '@sluice/contracts';
import { type SelectRows } from '../plans/select-rows.js';
import { type RefusalConditions } from './refusal-query.js';

/** Rows of a page; each body has up to 1.9 MB. */
const pageRows = 200;

/** Conditions that select messages that were refused and kept. */
export interface KeptConditions extends Pick<RefusalConditions, 'from' | 'source'> {
  event?: string;
}

/** Number of kept messages that were refused for the same reason. */
export interface KeptCount {
  sourceIdentifier: string;
  kind: KeptMessage['kind'];
  event: string;
  reason: RefusalReason;
  planVersion: number;
  violations: string[];
  count: number;
  /** ISO 8601 UTC. */
  newest: string;
}

/** A message as `refused_messages` has it. */
export interface KeptMessage {
  source_id: string;
  request_id: string;
  /** ISO 8601 UTC. */
  received_at: string;
  message_id: string;
  kind: RefusedMessageRow['kind'];
  user_agent: string;
  country: string;
  body: string;
}

const makeCondition = ({ source, event }: KeptConditions): string =>
  [
    'received_at >= {from:DateTime64(3)}',
    ...(source === undefined ? [] : ['source_id = {source:String}']),
    ...(event === undefined ? [] : ['event = {event:String}']),
  ].join(' AND ');

const makeParameters = ({ from, ...conditions }: KeptConditions): Record<string, unknown> => ({
  ...conditions,
  from: toClickHouseTime(from),
});

/** Counts kept messages by source, event and violations, most frequent first. */
export async function countKept(select: SelectRows, conditions: KeptConditions, limit: number): Promise<KeptCount[]> {
  const rows = await select<Omit<KeptCount, 'count'> & { count: string }>(
    `SELECT source_id AS sourceIdentifier, kind, event, reason, plan_version AS planVersion, violations,
            toString(count()) AS count, max(received_at) AS newest
     FROM refused_messages FINAL WHERE ${makeCondition(conditions)}
     GROUP BY source_id, kind, event, reason, plan_version, violations
     ORDER BY count() DESC, newest DESC LIMIT {limit:UInt32}`,
    { ...makeParameters(conditions), limit },
  );
  return rows.map((row) => ({ ...row, count: Number(row.count), newest: toIso(row.newest) }));
}

/** Reads kept messages in the order of their arrival, page by page, each once. */
export async function* readKeptMessages(
  select: SelectRows,
  conditions: KeptConditions,
): AsyncGenerator<readonly KeptMessage[]> {
  let lastRow: KeptMessage | undefined;
  do {
    const rows = await select<KeptMessage>(pageQuery(conditions, lastRow !== undefined), {
      ...makeParameters(conditions),
      limit: pageRows,
      ...(lastRow && { lastTime: lastRow.received_at, lastId: lastRow.message_id }),
    });
    if (rows.length > 0) yield rows.map((row) => ({ ...row, received_at: toIso(row.received_at) }));
    lastRow = rows.length === pageRows ? rows.at(-1) : undefined;
  } while (lastRow);
}

const pageQuery = (conditions: KeptConditions, hasLast: boolean): string => `
  SELECT source_id, request_id, received_at, message_id, kind, user_agent, country, body
  FROM refused_messages FINAL WHERE ${makeCondition(conditions)}
    ${hasLast ? 'AND (received_at, message_id) > ({lastTime:DateTime64(3)}, {lastId:UUID})' : ''}
  ORDER BY received_at, message_id LIMIT {limit:UInt32}`;
