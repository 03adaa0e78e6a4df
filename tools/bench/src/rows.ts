import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseClient } from '@clickhouse/client';
import { startApp } from './apps.js';
import { insertBare } from './bare-insert.js';
import { measureDurability } from './durability.js';
import { countRows, openClickHouse, select } from './events-table.js';
import { measureKafkaEngine } from './kafka-engine.js';
import { type Options } from './options.js';
import { preload } from './preload.js';
import { cpuSeconds, memoryMb } from './process-usage.js';
import { progress } from './progress.js';
import { type Figure, type Report } from './report.js';
import { type Servers } from './servers.js';

const pollMs = 50;
/** Rows that come twice come late: when the consumer believes that it is done. */
const settleMs = 1_500;
const stallMs = 60_000;

/** How fast the tracking service moves rows that wait in Kafka into ClickHouse, beside INSERTs of the same rows alone. */
export async function measureRows(servers: Servers, { load, profiles }: Options): Promise<Report> {
  const total = load.rows;
  const half = Math.floor(total / 2);
  const receivedAt = new Date().toISOString();
  // A first run of the service makes topics and tables.
  await (await startApp(servers, 'tracking')).stop();
  const client = openClickHouse(servers);
  try {
    progress(`rows: filling Kafka with ${total} of them`);
    await preload(servers, total, receivedAt);
    // Half of the comparison before and half after: the machine's speed changes.
    progress('rows: bare INSERTs, first half');
    const before = await insertBare(client, [0, half], receivedAt);
    progress('rows: tracking service');
    const tracking = await startApp(servers, 'tracking', { profiles });
    const moved = await watch(client, tracking.pid, total);
    const { peak } = memoryMb(tracking.pid);
    await sleep(settleMs);
    const failures = await verify(client, total);
    await tracking.stop();
    progress('rows: bare INSERTs, second half');
    const after = await insertBare(client, [half, total], receivedAt);
    progress('rows: bare INSERTs that wait for the disk');
    const durability = await measureDurability(client, total, receivedAt);
    progress("rows: ClickHouse's own Kafka engine, one consumer and two");
    const engines = [
      await measureKafkaEngine(client, servers, 1, total),
      await measureKafkaEngine(client, servers, 2, total),
    ];
    const figures = [...figuresOf(moved, total / (before + after), peak), ...durability, ...besides(moved, engines)];
    return { figures, failures };
  } finally {
    await client.close();
  }
}

interface Moved {
  readonly rows: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/**
 * From "ready", which is when the service has joined its group, to the last row. Not from the first row: the blocks of
 * all partitions fill at the same time, so that most of the reading is done before a row is stored.
 */
async function watch(client: ClickHouseClient, pid: number, total: number): Promise<Moved> {
  const look = (rows: number) => ({ rows, at: performance.now(), cpu: cpuSeconds(pid) });
  const first = look(0);
  let last = first;
  while (last.rows < total) {
    await sleep(pollMs);
    const now = look(await countRows(client));
    if (now.rows > last.rows) last = now;
    else if (now.at - last.at > stallMs) throw new Error(`rows: ${last.rows} of ${total} stored, and then no more`);
  }
  return { rows: last.rows, seconds: (last.at - first.at) / 1000, cpuSeconds: last.cpu - first.cpu };
}

async function verify(client: ClickHouseClient, total: number): Promise<string[]> {
  const [stored] = await select<{ rows: number; ids: number }>(
    client,
    'SELECT toUInt32(count()) AS rows, toUInt32(uniqExact(message_id)) AS ids FROM events',
  );
  if (stored?.rows === total && stored.ids === total) return [];
  return [`rows: ${total} sent, ${stored?.rows ?? 0} stored, of ${stored?.ids ?? 0} different messages`];
}

function figuresOf({ rows, seconds, cpuSeconds }: Moved, bareRate: number, peak: number): Figure[] {
  const group = 'rows from Kafka into ClickHouse (floor: bare INSERTs, one at a time)';
  const rate = rows / seconds;
  return [
    { group, measure: 'stored', unit: 'rows/s', sluice: rate, floor: bareRate, ratio: rate / bareRate },
    { group, measure: 'per CPU-second', unit: 'rows', sluice: rows / cpuSeconds },
    { group, measure: 'CPU of the service', unit: 's', sluice: cpuSeconds },
    { group, measure: 'peak memory', unit: 'MiB', sluice: peak },
  ];
}

/** The same rows of the same topic into the same kind of table, by ClickHouse alone. */
const besides = ({ rows, seconds }: Moved, engines: readonly number[]): Figure[] =>
  engines.map((floor, i) => ({
    group: "rows from Kafka into ClickHouse (floor: ClickHouse's Kafka engine)",
    measure: i === 0 ? 'against one consumer' : `against ${i + 1} consumers`,
    unit: 'rows/s',
    sluice: rows / seconds,
    floor,
    ratio: rows / seconds / floor,
  }));
