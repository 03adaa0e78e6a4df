import { Injectable } from '@nestjs/common';
import { clickhouseVariables } from '@sluice/clickhouse';
import { checkClickHouse, type Problem, type RefusedRequest } from '@sluice/operations';
import { Connection } from '../connection/connection.js';
import { countKept, type KeptCount } from './kept-messages.js';
import { select } from './select.js';

/** Conditions that select refusals. */
export interface Conditions {
  /** Milliseconds before now. */
  sinceMs: number;
  source?: string;
  /** Only messages of this event; leaves out requests, which have none. */
  event?: string;
  /** Max number of samples, and of counts. */
  limit: number;
}

/** Exact number of requests, or of parts of accepted requests, by source and reason. */
export interface RefusedCount {
  sourceIdentifier: string;
  kind: RefusedRequest['kind'];
  reason: string;
  count: number;
  /** ISO 8601 UTC. */
  newest: string;
}

/** A sample as it is printed: bodies hold what clients sent, and stay in the table. */
export type RefusedSample = Omit<RefusedRequest, 'hasBody'>;

export interface Refusals {
  /** ISO 8601 UTC. */
  since: string;
  /** Most frequent first. */
  counts: RefusedCount[];
  /** Newest first. */
  samples: RefusedSample[];
  /** Messages that were kept whole, most frequent first. */
  kept: KeptCount[];
}

/** Reads what gateways refused, from `refused_requests` and `refused_messages`, with the ClickHouse of the command line. */
@Injectable()
export class RefusalReader {
  constructor(private readonly connection: Connection) {}

  /** @throws OperationError when ClickHouse is unavailable or refuses. */
  async read({ sinceMs, source, event, limit }: Conditions): Promise<Refusals> {
    const config = this.connection.read(clickhouseVariables);
    const from = Date.now() - sinceMs;
    const where = `received_at >= fromUnixTimestamp64Milli({from:Int64})${source === undefined ? '' : ' AND source_id = {source:String}'}`;
    const parameters = { from, limit, ...(source !== undefined && { source }) };
    const narrowed = { ...(source !== undefined && { source }), ...(event !== undefined && { event }) };
    await checkClickHouse(config);
    const [counts, samples, kept] = await Promise.all([
      event === undefined ? select<Counted>(config, countsQuery(where), parameters) : [],
      event === undefined ? select<Sampled>(config, samplesQuery(where), parameters) : [],
      countKept(config, { from, ...narrowed }, limit),
    ]);
    return {
      since: new Date(from).toISOString(),
      counts: counts.map((one) => ({ ...one, count: Number(one.count) })),
      samples: samples.map((one) => ({ ...one, problems: problemsOf(one.problems) })),
      kept,
    };
  }
}

type Counted = Omit<RefusedCount, 'count'> & { count: string };
type Sampled = Omit<RefusedSample, 'problems'> & { problems: string };

/** No alias has the name of a column: in WHERE, ClickHouse would use the alias instead of the column. */
const countsQuery = (where: string): string => `
  SELECT sourceIdentifier, what AS kind, why AS reason, count, newest FROM (
    SELECT source_id AS sourceIdentifier, counted AS what, reason AS why, toString(sum(requests)) AS count,
           max(received_at) AS newest
    FROM refused_requests WHERE kind = 'count' AND counted NOT IN ('accepted', 'key') AND ${where}
    GROUP BY source_id, counted, reason
    ORDER BY sum(requests) DESC, newest DESC LIMIT {limit:UInt32})`;

const samplesQuery = (where: string): string => `
  SELECT toString(request_id) AS requestId, received_at AS at, source_id AS sourceIdentifier, method, route, status, reason,
         kind, problems, user_agent AS userAgent
  FROM refused_requests WHERE kind != 'count' AND ${where}
  ORDER BY received_at DESC, message_id LIMIT {limit:UInt32}`;

function problemsOf(text: string): Problem[] {
  try {
    return JSON.parse(text) as Problem[];
  } catch {
    return [];
  }
}
