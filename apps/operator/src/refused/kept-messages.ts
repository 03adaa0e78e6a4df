import { type ClickHouseConfig } from '@sluice/clickhouse';
import { type RefusalReason, type RefusedMessageRow } from '@sluice/contracts';
import { queryOnce } from '../connection/query-once.js';

/** Rows of a page; each body has up to 1.9 MB. */
const pageRows = 200;
/** Max number of listed groups of messages with the same violations. */
const maxGroups = 1_000;

/** Conditions that select messages that were refused and kept. */
export interface KeptConditions {
  /** Milliseconds since 1970. */
  from: number;
  source?: string;
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
  received_at: string;
  message_id: string;
  kind: RefusedMessageRow['kind'];
  user_agent: string;
  country: string;
  body: string;
}

const makeCondition = ({ source, event }: KeptConditions): string =>
  [
    'received_at >= fromUnixTimestamp64Milli({from:Int64})',
    ...(source === undefined ? [] : ['source_id = {source:String}']),
    ...(event === undefined ? [] : ['event = {event:String}']),
  ].join(' AND ');

/** Counts kept messages by source, event and violations, most frequent first. */
export async function countKept(
  config: ClickHouseConfig,
  conditions: KeptConditions,
  limit = maxGroups,
): Promise<KeptCount[]> {
  const rows = await queryOnce<Omit<KeptCount, 'count'> & { count: string }>(
    config,
    `SELECT source_id AS sourceIdentifier, kind, event, reason, plan_version AS planVersion, violations,
            toString(count()) AS count, max(received_at) AS newest
     FROM refused_messages FINAL WHERE ${makeCondition(conditions)}
     GROUP BY source_id, kind, event, reason, plan_version, violations
     ORDER BY count() DESC, newest DESC LIMIT {limit:UInt32}`,
    { ...conditions, limit },
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

/** Reads kept messages in the order of their arrival, page by page, each once. */
export async function* readKeptMessages(
  config: ClickHouseConfig,
  conditions: KeptConditions,
): AsyncGenerator<readonly KeptMessage[]> {
  let lastMessage: KeptMessage | undefined;
  do {
    const page = await queryOnce<KeptMessage>(config, pageQuery(conditions, lastMessage !== undefined), {
      ...conditions,
      limit: pageRows,
      ...(lastMessage && { at: Date.parse(lastMessage.received_at), id: lastMessage.message_id }),
    });
    if (page.length > 0) yield page;
    lastMessage = page.length === pageRows ? page.at(-1) : undefined;
  } while (lastMessage);
}

const pageQuery = (conditions: KeptConditions, hasLast: boolean): string => `
  SELECT source_id, request_id, received_at, message_id, kind, user_agent, country, body
  FROM refused_messages FINAL WHERE ${makeCondition(conditions)}
    ${hasLast ? 'AND (received_at, message_id) > (fromUnixTimestamp64Milli({at:Int64}), {id:UUID})' : ''}
  ORDER BY received_at, message_id LIMIT {limit:UInt32}`;
