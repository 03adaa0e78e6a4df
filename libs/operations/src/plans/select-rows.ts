import { type ClickHouseConfig, createClickHouse } from '@sluice/clickhouse';
import { withClickHouse } from '../servers/with-clickhouse.js';

const fallbackTimeLimitSeconds = 120;

type ClickHouseQuery = Parameters<ReturnType<typeof createClickHouse>['query']>[0];
type ClickHouseSettings = NonNullable<ClickHouseQuery['clickhouse_settings']>;

/** Asks ClickHouse a question. */
export type SelectRows = <Row>(query: string, parameters: Record<string, unknown>) => Promise<Row[]>;

/**
 * Asks the ClickHouse of a configuration, each question with a connection of its own. It throws ServerUnreachableError
 * when that is unavailable or refuses.
 * @param settings of ClickHouse, besides or in place of a time limit of two minutes
 */
export const makeSelectRows =
  (config: ClickHouseConfig, settings: ClickHouseSettings = {}): SelectRows =>
  (query, parameters) =>
    selectRows(config, settings, query, parameters);

async function selectRows<Row>(
  config: ClickHouseConfig,
  settings: ClickHouseSettings,
  query: string,
  query_params: Record<string, unknown>,
): Promise<Row[]> {
  const client = createClickHouse(config);
  try {
    const answer = client.query({
      query,
      query_params,
      format: 'JSONEachRow',
      clickhouse_settings: { max_execution_time: fallbackTimeLimitSeconds, ...settings },
    });
    return await withClickHouse(
      config,
      answer.then((result) => result.json<Row>()),
    );
  } finally {
    await client.close();
  }
}
