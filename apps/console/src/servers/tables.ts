import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import { Injectable } from '@nestjs/common';
import { type SelectRows, ServerUnreachableError } from '@sluice/operations';
import { ConsoleError } from '../http/console-error.js';
import { type CurrentUser } from '../session/current-user.js';
import { type ServerWatch } from './servers.js';

/** Limits of every query, whatever the profile of the ClickHouse user says. */
export const limits = {
  max_execution_time: 10,
  timeout_overflow_mode: 'throw',
  max_threads: 2,
  max_memory_usage: '2000000000',
  max_bytes_to_read: '50000000000',
  max_result_rows: '20000',
  max_result_bytes: '64000000',
  result_overflow_mode: 'throw',
  priority: '10',
  readonly: '2',
} as const;
/** Settings that the queries need, whatever the profile says: an aggregate of no rows is 0 or empty, not NULL. */
const aggregateSettings = { aggregate_functions_null_for_empty: 0 } as const;
const answerLimitMs = 12_000;

/** Asks ClickHouse, read-only and bounded. */
@Injectable()
export class Tables {
  constructor(
    private readonly client: ClickHouseClient,
    private readonly watch: ServerWatch,
  ) {}

  /** Asks for one user, as `select` does. */
  selectFor(user: Pick<CurrentUser, 'id'>): SelectRows {
    return (query, parameters) => this.select(user, query, parameters);
  }

  /** @throws ServerUnreachableError when ClickHouse does not answer; ConsoleError when a limit ended the query. */
  async select<Row>(
    user: Pick<CurrentUser, 'id'>,
    query: string,
    query_params: Record<string, unknown> = {},
  ): Promise<Row[]> {
    const whyUnreachable = this.watch.whyUnreachable('clickhouse');
    if (whyUnreachable !== undefined) throw new ServerUnreachableError('clickhouse', whyUnreachable);
    const clickhouse_settings = { ...limits, ...aggregateSettings, log_comment: `console:${user.id}` };
    const abort_signal = AbortSignal.timeout(answerLimitMs);
    try {
      const answer = await this.client.query({
        query,
        query_params,
        clickhouse_settings,
        format: 'JSONEachRow',
        abort_signal,
      });
      return await answer.json<Row>();
    } catch (error) {
      if (!(error instanceof ClickHouseError)) {
        throw new ServerUnreachableError('clickhouse', 'ClickHouse does not answer.', { cause: error });
      }
      if (error.type === 'UNKNOWN_TABLE' || error.type === 'UNKNOWN_DATABASE') {
        throw new ConsoleError(503, { code: 'not-migrated', message: 'A table is missing. Run operator migrate.' });
      }
      const isLimit = ['TIMEOUT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED', 'TOO_MANY_BYTES', 'TOO_MANY_ROWS_OR_BYTES'];
      if (!isLimit.includes(error.type ?? '')) throw error;
      throw new ConsoleError(503, { code: 'too-much', message: describeLimit(error.type, query_params) });
    }
  }
}

/** Says which limit ended a query. A shorter time is advice for whoever chose one. */
function describeLimit(type: string | undefined, { from, to, until }: Record<string, unknown>): string {
  const reason =
    type === 'TIMEOUT_EXCEEDED'
      ? `ClickHouse did not finish within ${limits.max_execution_time} s.`
      : 'The answer needs more of ClickHouse than a page may take.';
  return from !== undefined && (to ?? until) !== undefined
    ? `${reason} Choose a shorter time.`
    : `${reason} Ask for less, or again when it is less busy.`;
}
