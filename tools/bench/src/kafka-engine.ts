import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { trackTopic } from '@sluice/contracts';
import { type ClickHouseClient } from '@clickhouse/client';
import { countTableRows, selectRows } from './events-table.js';
import { type BenchServers } from './servers.js';

const pollMs = 100;
const firstRowMs = 60_000;
/** The rate is steady within this time; moving all rows would take minutes. */
const measuredMs = 15_000;
const ownColumns = ['stored_at', 'kafka_partition', 'kafka_offset', 'kafka_timestamp'];

/** Rows per second that ClickHouse's Kafka engine moves from the track topic into a table like `events`. */
export async function measureKafkaEngine(
  client: ClickHouseClient,
  { brokers }: BenchServers,
  consumers: number,
  total: number,
): Promise<number> {
  const group = `bench-engine-${randomUUID()}`;
  const table = `events_engine_${consumers}`;
  const queue = `events_queue_${consumers}`;
  const view = `events_from_queue_${consumers}`;
  const columns = await selectRows<{ name: string; type: string }>(
    client,
    `SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'events'
       AND default_kind != 'MATERIALIZED'
       AND name NOT IN (${ownColumns.map((name) => `'${name}'`).join(',')}) ORDER BY position`,
  );
  const names = columns.map(({ name }) => name).join(', ');
  await client.command({ query: `CREATE TABLE ${table} AS events` });
  await client.command({
    query: `CREATE TABLE ${queue} (${columns.map(({ name, type }) => `${name} ${type}`).join(', ')}) ENGINE = Kafka
      SETTINGS kafka_broker_list = '${brokers.join(',')}', kafka_topic_list = '${trackTopic.name}',
        kafka_group_name = '${group}', kafka_format = 'JSONEachRow', kafka_num_consumers = ${consumers},
        kafka_thread_per_consumer = 1, kafka_max_block_size = ${Math.min(50_000, Math.ceil(total / 4))},
        date_time_input_format = 'best_effort', input_format_try_infer_dates = 0, input_format_try_infer_datetimes = 0,
        type_json_skip_duplicated_paths = 1`,
  });
  await client.command({
    query: `CREATE MATERIALIZED VIEW ${view} TO ${table} AS SELECT ${names}, toUInt16(_partition) AS kafka_partition,
      _offset AS kafka_offset, coalesce(_timestamp_ms, toDateTime64(0, 3)) AS kafka_timestamp FROM ${queue}`,
  });
  try {
    return await measureRate(() => countTableRows(client, table), total);
  } finally {
    await client.command({ query: `DROP TABLE ${view} SYNC` });
    await client.command({ query: `DROP TABLE ${queue} SYNC` });
  }
}

/** Measures from the first visible rows to the last, so the time to join the group does not count. */
async function measureRate(count: () => Promise<number>, total: number): Promise<number> {
  const look = async () => ({ rows: await count(), at: performance.now() });
  let first = await look();
  for (const startedAt = first.at; first.rows === 0; first = await look()) {
    if (first.at - startedAt > firstRowMs) throw new Error('rows: the Kafka engine of ClickHouse stored nothing');
    await sleep(pollMs);
  }
  let last = first;
  for (let now = first; now.rows < total && now.at - first.at < measuredMs; now = await look()) {
    if (now.rows > last.rows) last = now;
    await sleep(pollMs);
  }
  return ((last.rows - first.rows) / (last.at - first.at)) * 1_000;
}
