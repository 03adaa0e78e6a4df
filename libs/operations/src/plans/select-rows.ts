import { type ClickHouseConfig, createClickHouse } from '@sluice/clickhouse';
import { withClickHouse } from '../servers/with-clickhouse.js';

const timeLimitSeconds = 120;

/** Asks ClickHouse a question about plans. */
export type SelectRows = <Row>(query: string, parameters: Record<string, unknown>) => Promise<Row[]>;

/** Asks the ClickHouse of a configuration. It throws ServerUnreachableError when that is unavailable or refuses. */
export const selectFrom =
  (config: ClickHouseConfig): SelectRows =>
  (query, parameters) =>
    selectRows(config, query, parameters);

async function selectRows<Row>(
  config: ClickHouseConfig,
  query: string,
  query_params: Record<string, unknown>,
): Promise<Row[]> {
  const client = createClickHouse(config);
  try {
    const found = client.query({
      query,
      query_params,
      format: 'JSONEachRow',
      clickhouse_settings: { max_execution_time: timeLimitSeconds },
    });
    return await withClickHouse(
      config,
      found.then((result) => result.json<Row>()),
    );
  } finally {
    await client.close();
  }
}
