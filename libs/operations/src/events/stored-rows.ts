import { type ClickHouseConfig, createClickHouse } from '@sluice/clickhouse';
import { type Destination, destinations } from '../destinations.js';
import { withClickHouse } from '../servers/with-clickhouse.js';
import { receivedRange, receivedWithin, type RequestId } from './request-id.js';

const timeLimitSeconds = 60;

/** A row of any table, and the place of its message in Kafka. */
export interface StoredRow {
  readonly topic: string;
  readonly table: string;
  readonly messageId: string | null;
  /** ISO 8601 UTC. */
  readonly storedAt: string;
  readonly partition: number;
  readonly offset: string;
  /** Time at which Kafka took the message, milliseconds since 1970. */
  readonly timestamp: number;
}

/** Finds the rows of a request in all tables. @throws OperationError when ClickHouse is unavailable or refuses. */
export async function findRows(config: ClickHouseConfig, request: RequestId): Promise<StoredRow[]> {
  const client = createClickHouse(config);
  try {
    const query = destinations.map(selectStatement).join('\nUNION ALL\n');
    const answer = client.query({
      query,
      query_params: { id: request.id, ...receivedWithin(request) },
      format: 'JSONEachRow',
      clickhouse_settings: { max_execution_time: timeLimitSeconds, date_time_output_format: 'iso' },
    });
    return await withClickHouse(
      config,
      answer.then((result) => result.json<StoredRow>()),
    );
  } finally {
    await client.close();
  }
}

/** Reads little: the weeks of received_at and, except for catalog and push, the index on request_id. */
const selectStatement = ({ topic, table, hasMessageId }: Destination): string => `
  SELECT '${topic}' AS topic, '${table}' AS table,
         ${hasMessageId ? 'toNullable(toString(message_id))' : 'CAST(NULL AS Nullable(String))'} AS messageId,
         stored_at AS storedAt, kafka_partition AS partition, toString(kafka_offset) AS offset,
         toInt64(toUnixTimestamp64Milli(kafka_timestamp)) AS timestamp
  FROM ${table}
  WHERE request_id = {id:UUID}
    AND ${receivedRange}`;
