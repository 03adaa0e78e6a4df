import { type ClickHouseConfig, createClickHouse } from '@sluice/clickhouse';
import { withClickHouse } from '../servers/with-clickhouse.js';

const timeLimitSeconds = 120;

/** Reads rows of a question about plans. @throws ServerUnreachableError when ClickHouse is unavailable or refuses. */
export async function selectRows<Row>(
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
      clickhouse_settings: {
        max_execution_time: timeLimitSeconds,
        date_time_output_format: 'iso',
        output_format_json_quote_64bit_integers: 0,
      },
    });
    return await withClickHouse(
      config,
      found.then((result) => result.json<Row>()),
    );
  } finally {
    await client.close();
  }
}
