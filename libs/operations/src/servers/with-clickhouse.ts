import { type ClickHouseConfig, createClickHouse, MigrationError } from '@sluice/clickhouse';
import { describeFailure, ServerUnreachableError } from '../operation-error.js';

const answerLimitMs = 5_000;

/** Checks with the credentials that ClickHouse can be used. @throws ServerUnreachableError if it cannot. */
export async function checkClickHouse(config: ClickHouseConfig): Promise<void> {
  // Uses the database `default`, because the configured one may not exist yet.
  const client = createClickHouse(config, 'default');
  try {
    const limit = AbortSignal.timeout(answerLimitMs);
    const answer = await client.ping({ select: true, abort_signal: limit });
    if (limit.aborted) throw makeUnusableError(config, new Error(`no answer within ${answerLimitMs / 1000} s`));
    if (!answer.success) throw makeUnusableError(config, answer.error);
  } finally {
    await client.close();
  }
}

/** Waits for work with ClickHouse. @throws ServerUnreachableError when ClickHouse fails; a MigrationError passes through. */
export async function withClickHouse<T>(config: ClickHouseConfig, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof MigrationError ? error : makeUnusableError(config, error);
  });
}

function makeUnusableError({ CLICKHOUSE_URL }: ClickHouseConfig, cause: unknown): ServerUnreachableError {
  // Only the origin is shown, because the URL may contain a password.
  return new ServerUnreachableError(
    'clickhouse',
    `ClickHouse at ${new URL(CLICKHOUSE_URL).origin} cannot be used: ${describeFailure(cause)}`,
    {
      cause,
    },
  );
}
