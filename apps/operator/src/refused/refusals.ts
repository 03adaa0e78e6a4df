import { Injectable } from '@nestjs/common';
import { clickhouseVariables } from '@sluice/clickhouse';
import { checkClickHouse, type Problem, type RefusedRequest } from '@sluice/operations';
import { Connection } from '../connection/connection.js';
import { countKept, type KeptCount } from './kept-messages.js';
import { queryOnce } from '../connection/query-once.js';

/** Conditions that select refusals. */
export interface RefusalConditions {
  /** Milliseconds before now. */
  sinceMs: number;
  source?: string;
  /** Only messages of this event; leaves out requests, which have none. */
  event?: string;
  /** Max number of samples, and of counts. */
  limit: number;
}

/** Exact number of requests, or of parts of accepted requests, by source and reason. */
export interface RefusalCount {
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
  counts: RefusalCount[];
  /** Newest first; samples that only claim a source are the last. */
  samples: RefusedSample[];
  /** Messages that were kept whole, most frequent first. */
  kept: KeptCount[];
}

/** Reads refusals of gateways, from `refused_requests` and `refused_messages`, with the ClickHouse of the command line. */
@Injectable()
export class RefusalReader {
  constructor(private readonly connection: Connection) {}

  /** @throws OperationError when ClickHouse is unavailable or refuses. */
  async read({ sinceMs, source, event, limit }: RefusalConditions): Promise<Refusals> {
    const config = this.connection.read(clickhouseVariables);
    const from = Date.now() - sinceMs;
    const condition = `received_at >= fromUnixTimestamp64Milli({from:Int64})${source === undefined ? '' : ' AND source_id = {source:String}'}`;
    const sampleCondition = condition.replace(
      'source_id = {source:String}',
      '{source:String} IN (source_id, claimed_source)',
    );
    const parameters = { from, limit, ...(source !== undefined && { source }) };
    const filters = { ...(source !== undefined && { source }), ...(event !== undefined && { event }) };
    await checkClickHouse(config);
    const [counts, samples, keptCounts] = await Promise.all([
      event === undefined ? queryOnce<CountRow>(config, countsQuery(condition), parameters) : [],
      event === undefined ? queryOnce<SampleRow>(config, samplesQuery(sampleCondition), parameters) : [],
      countKept(config, { from, ...filters }, limit),
    ]);
    return {
      since: new Date(from).toISOString(),
      counts: counts.map((row) => ({ ...row, count: Number(row.count) })),
      samples: samples.map((row) => ({ ...row, problems: parseProblems(row.problems) })),
      kept: keptCounts,
    };
  }
}

type CountRow = Omit<RefusalCount, 'count'> & { count: string };
type SampleRow = Omit<RefusedSample, 'problems'> & { problems: string };

/** No alias has the name of a column: in WHERE, ClickHouse would use the alias instead of the column. */
const countsQuery = (condition: string): string => `
  SELECT sourceIdentifier, what AS kind, why AS reason, count, newest FROM (
    SELECT source_id AS sourceIdentifier, counted AS what, reason AS why, toString(sum(requests)) AS count,
           max(received_at) AS newest
    FROM refused_requests WHERE kind = 'count' AND counted NOT IN ('accepted', 'key') AND ${condition}
    GROUP BY source_id, counted, reason
    ORDER BY sum(requests) DESC, newest DESC LIMIT {limit:UInt32})`;

const samplesQuery = (condition: string): string => `
  SELECT toString(request_id) AS requestId, received_at AS at, source_id AS sourceIdentifier, method, route, status, reason,
         kind, problems, user_agent AS userAgent, claimed_source AS claimedSource, origin
  FROM refused_requests WHERE kind != 'count' AND ${condition}
  ORDER BY claimed_source != '', received_at DESC, message_id LIMIT {limit:UInt32}`;

function parseProblems(text: string): Problem[] {
  try {
    return JSON.parse(text) as Problem[];
  } catch {
    return [];
  }
}
