import { type ClickHouseConfig, createClickHouse, MigrationError } from '@sluice/clickhouse';
import { OperatorError, reasonOf } from '../errors.js';

const answerLimitMs = 5_000;

/** Asks with the credentials whether ClickHouse can be used. @throws OperatorError when not. */
export async function checkClickHouse(config: ClickHouseConfig): Promise<void> {
  // The database `default`: ours may not exist yet.
  const client = createClickHouse(config, 'default');
  try {
    const limit = AbortSignal.timeout(answerLimitMs);
    const answer = await client.ping({ select: true, abort_signal: limit });
    if (limit.aborted) throw unusable(config, new Error(`no answer within ${answerLimitMs / 1000} s`));
    if (!answer.success) throw unusable(config, answer.error);
  } finally {
    await client.close();
  }
}

/** @throws OperatorError when ClickHouse fails; what is wrong with a migration passes through. */
export async function withClickHouse<T>(config: ClickHouseConfig, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof MigrationError ? error : unusable(config, error);
  });
}

function unusable({ CLICKHOUSE_URL }: ClickHouseConfig, cause: unknown): OperatorError {
  // Only the origin: the URL may hold a password.
  return new OperatorError(`ClickHouse at ${new URL(CLICKHOUSE_URL).origin} cannot be used: ${reasonOf(cause)}`, {
    cause,
  });
}
