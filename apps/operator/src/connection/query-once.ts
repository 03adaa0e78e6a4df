import { type ClickHouseConfig } from '@sluice/clickhouse';
import { makeSelectRows } from '@sluice/operations';

/** Runs one query of a person who waits for it. @throws OperationError when ClickHouse is unavailable or refuses. */
export const queryOnce = <Row>(
  config: ClickHouseConfig,
  query: string,
  parameters: Record<string, unknown>,
): Promise<Row[]> =>
  makeSelectRows(config, { max_execution_time: 30, date_time_output_format: 'iso' })<Row>(query, parameters);
