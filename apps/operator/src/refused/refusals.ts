import { Injectable } from '@nestjs/common';
import { clickhouseVariables } from '@sluice/clickhouse';
import {
  checkClickHouse,
  countKept,
  countRefusals,
  type KeptCount,
  makeSelectRows,
  readRefusedSamples,
  type RefusalConditions,
  type RefusalCount,
  type RefusedSample,
  type SelectRows,
} from '@sluice/operations';
import { Connection } from '../connection/connection.js';

/** Time limit of one query of a person who waits for it. */
export const queryLimit = { max_execution_time: 30 };

/** Refusals that a person asks for. */
export interface RefusalQuestion {
  /** Milliseconds before now. */
  sinceMs: number;
  source?: string;
  /** Only messages of this event; leaves out requests, which have none. */
  event?: string;
  /** Max number of samples, and of counts. */
  limit: number;
}

/** A sample as it is printed: bodies hold what clients sent, and stay in the table. */
type PrintedSample = Omit<RefusedSample, 'hasBody'>;

export interface Refusals {
  /** ISO 8601 UTC. */
  since: string;
  /** Most frequent first. */
  counts: RefusalCount[];
  /** Newest first; samples that only claim a source are the last. */
  samples: PrintedSample[];
  /** Messages that were kept whole, most frequent first. */
  kept: KeptCount[];
}

/** Reads refusals of gateways with the ClickHouse of the command line. */
@Injectable()
export class RefusalReader {
  constructor(private readonly connection: Connection) {}

  /** @throws OperationError when ClickHouse is unavailable or refuses. */
  async read({ sinceMs, source, event, limit }: RefusalQuestion): Promise<Refusals> {
    const config = this.connection.read(clickhouseVariables);
    const conditions = { from: new Date(Date.now() - sinceMs), ...(source !== undefined && { source }) };
    await checkClickHouse(config);
    const select = makeSelectRows(config, queryLimit);
    const hasRequests = event === undefined;
    const [counts, samples, keptCounts] = await Promise.all([
      hasRequests ? countRefusals(select, conditions, limit) : [],
      hasRequests ? readAllSamples(select, conditions, limit) : [],
      countKept(select, { ...conditions, ...(event !== undefined && { event }) }, limit),
    ]);
    return { since: conditions.from.toISOString(), counts, samples: samples.map(printSample), kept: keptCounts };
  }
}

async function readAllSamples(
  select: SelectRows,
  conditions: RefusalConditions,
  limit: number,
): Promise<RefusedSample[]> {
  const lists = await Promise.all(
    (['own', 'claims'] as const).map((part) => readRefusedSamples(select, conditions, part, { limit })),
  );
  return lists.flatMap(({ samples }) => samples).slice(0, limit);
}

function printSample(sample: RefusedSample): PrintedSample {
  const { requestId, at, sourceIdentifier, method, route, status, reason, kind, problems, userAgent } = sample;
  const { claimedSource = '', origin = '' } = sample;
  return {
    ...{ requestId, at, sourceIdentifier, method, route, status, reason, kind },
    ...{ problems, userAgent, claimedSource, origin },
  };
}
