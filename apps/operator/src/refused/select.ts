import { type ClickHouseConfig, createClickHouse } from '@sluice/clickhouse';
import { withClickHouse } from '@sluice/operations';

const timeLimitSeconds = 30;

/** Runs one query with a connection of its own. @throws OperationError when ClickHouse is unavailable or refuses. */
export async function select<Row>(
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
      clickhouse_settings: { max_execution_time: timeLimitSeconds, date_time_output_format: 'iso' },
    });
    return await withClickHouse(
      config,
      found.then((result) => result.json<Row>()),
    );
  } finally {
    await client.close();
  }
}
