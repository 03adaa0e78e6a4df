import { type ClickHouseConfig, createClickHouse, MigrationError } from '@sluice/clickhouse';
import { reasonOf, ServerUnreachableError } from '../operation-error.js';

const answerLimitMs = 5_000;

/** Checks with the credentials that ClickHouse can be used. @throws ServerUnreachableError if it cannot. */
export async function checkClickHouse(config: ClickHouseConfig): Promise<void> {
  // Uses the database `default`, because the configured one may not exist yet.
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

/** Waits for work with ClickHouse. @throws ServerUnreachableError when ClickHouse fails; a MigrationError passes through. */
export async function withClickHouse<T>(config: ClickHouseConfig, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof MigrationError ? error : unusable(config, error);
  });
}

function unusable({ CLICKHOUSE_URL }: ClickHouseConfig, cause: unknown): ServerUnreachableError {
  // Only the origin is shown, because the URL may contain a password.
  return new ServerUnreachableError(
    'clickhouse',
    `ClickHouse at ${new URL(CLICKHOUSE_URL).origin} cannot be used: ${reasonOf(cause)}`,
    {
      cause,
    },
  );
}
