import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseClient } from '@clickhouse/client';
import { createKafka } from '@sluice/kafka';
import { startBenchApp } from './apps.js';
import { insertBare } from './bare-insert.js';
import { measureDurability } from './durability.js';
import { countTableRows, dropTables, openClickHouse, selectRows } from './events-table.js';
import { measureKafkaEngine } from './kafka-engine.js';
import { type BenchOptions } from './options.js';
import { preload } from './preload.js';
import { cpuSeconds, memoryMb } from './process-usage.js';
import { progress } from './progress.js';
import { type BenchFigure, type BenchReport } from './report.js';
import { type BenchServers } from './servers.js';
import { sideBySide } from './side-by-side.js';
import { median } from './statistics.js';

const pollMs = 100;
/** Time for duplicates to appear: they come late, after the consumer seems done. */
const settleMs = 1_500;
const stallMs = 60_000;

/**
 * Measures how fast the tracking service moves a backlog of rows from Kafka into ClickHouse, compared with bare INSERTs
 * of the same rows and with ClickHouse's own Kafka engine. All take turns in several rounds, because the machine's
 * speed changes from minute to minute.
 */
export async function measureRows(servers: BenchServers, { load, profiles }: BenchOptions): Promise<BenchReport> {
  const total = load.rows;
  const receivedAt = new Date().toISOString();
  // The first run of the service creates topics and tables.
  await (await startBenchApp(servers, 'tracking')).stop();
  const client = openClickHouse(servers);
  const rounds: Round[] = [];
  const failures: string[] = [];
  const durability: BenchFigure[] = [];
  try {
    progress(`rows: filling Kafka with ${total} of them`);
    await preload(servers, total, receivedAt);
    for (let round = 1; round <= load.drains; round++) {
      rounds.push(await measureRound(servers, client, { total, receivedAt, profiles }, failures));
      progress(`  round ${round} of ${load.drains}: ${Math.round(rowsPerSecond(rounds.at(-1)))} rows/s`);
    }
    progress('rows: bare INSERTs that wait for the disk');
    durability.push(...(await measureDurability(client, total, receivedAt)));
  } finally {
    await client.close();
  }
  return { figures: [...makeFigures(rounds), ...durability, ...besides(rounds)], failures };
}

interface Round {
  readonly moved: Moved;
  readonly bare: Moved;
  /** Rows/s of bare INSERTs with ClickHouse's default of looking for copies in each block (optimize_on_insert). */
  readonly looking: number;
  /** Rows/s of bare INSERTs that read each value by itself, as blocks with unlike arrays are. */
  readonly apart: number;
  /** Rows/s of the Kafka engine with one and with two consumers. */
  readonly engines: readonly number[];
}

interface Drain {
  readonly total: number;
  readonly receivedAt: string;
  readonly profiles: string | undefined;
}

async function measureRound(
  servers: BenchServers,
  client: ClickHouseClient,
  { total, receivedAt, profiles }: Drain,
  failures: string[],
): Promise<Round> {
  await deleteGroup(servers);
  await dropTables(client);
  // The service runs before the INSERTs it is compared with, because it creates the tables.
  const tracking = await startBenchApp(servers, 'tracking', { profiles });
  const moved = await measureUntilStored(client, servers, tracking.pid, total);
  await sleep(settleMs);
  failures.push(...(await verify(client, total)));
  await tracking.stop();
  const [seconds, cpu] = await timed(servers, () => insertBare(client, [0, total], receivedAt));
  const bare = { rows: total, seconds, cpu: 0, clickhouseCpu: cpu, peakMb: 0 };
  const looking =
    total / (await insertBare(client, [0, total], receivedAt, 'events_looking', { optimize_on_insert: 1 }));
  const valueByValue = { max_dynamic_subcolumns_in_json_type_parsing: '0' };
  const apart = total / (await insertBare(client, [0, total], receivedAt, 'events_apart', valueByValue));
  const engines = [
    await measureKafkaEngine(client, servers, 1, total),
    await measureKafkaEngine(client, servers, 2, total),
  ];
  return { moved, bare, looking, apart, engines };
}

/** Deletes the consumer group, so that the service reads its topics from the beginning again. */
export async function deleteGroup({ brokers }: BenchServers): Promise<void> {
  const admin = createKafka({ KAFKA_BROKERS: brokers }, 'bench').admin();
  await admin.connect();
  try {
    await admin.deleteGroups(['tracking']);
  } finally {
    await admin.disconnect();
  }
}

/** Resolves with the result of `work` and the CPU seconds of ClickHouse, including merges shortly afterwards. */
async function timed<T>({ clickhousePid }: BenchServers, work: () => Promise<T>): Promise<[T, number]> {
  const before = cpuSeconds(clickhousePid);
  const result = await work();
  await sleep(settleMs);
  return [result, cpuSeconds(clickhousePid) - before];
}

export interface Moved {
  readonly rows: number;
  readonly seconds: number;
  /** CPU seconds of the service (`cpu`) and of ClickHouse. */
  readonly cpu: number;
  readonly clickhouseCpu: number;
  readonly peakMb: number;
}

const rowsPerSecond = (round: Round | undefined): number => (round ? round.moved.rows / round.moved.seconds : 0);

/**
 * Measures from "ready", when the service has joined its group, to the last row. It does not start at the first row:
 * blocks of several partitions fill at the same time, so part of the reading is done before any row is stored.
 */
export async function measureUntilStored(
  client: ClickHouseClient,
  servers: BenchServers,
  pid: number,
  total: number,
): Promise<Moved> {
  const look = (rows: number) => ({ rows, at: performance.now(), cpu: cpuSeconds(pid) });
  const first = look(0);
  const [last, clickhouseCpu] = await timed(servers, async () => {
    let latest = first;
    while (latest.rows < total) {
      await sleep(pollMs);
      const now = look(await countTableRows(client));
      if (now.rows > latest.rows) latest = now;
      else if (now.at - latest.at > stallMs) throw new Error(`rows: ${latest.rows} of ${total} stored, then no more`);
    }
    return latest;
  });
  const { peak: peakMb } = memoryMb(pid);
  return { rows: last.rows, seconds: (last.at - first.at) / 1000, cpu: last.cpu - first.cpu, clickhouseCpu, peakMb };
}

async function verify(client: ClickHouseClient, total: number): Promise<string[]> {
  const [stored] = await selectRows<{ rows: number; ids: number }>(
    client,
    'SELECT toUInt32(count()) AS rows, toUInt32(uniqExact(message_id)) AS ids FROM events',
  );
  if (stored?.rows === total && stored.ids === total) return [];
  return [`rows: ${total} sent, ${stored?.rows ?? 0} stored, of ${stored?.ids ?? 0} different messages`];
}

function makeFigures(rounds: readonly Round[]): BenchFigure[] {
  const group = 'rows from Kafka into ClickHouse (floor: bare INSERTs, one at a time)';
  const perMillion = (seconds: number, { rows }: Moved) => (seconds / rows) * 1e6;
  const medianMoved = (quantity: (moved: Moved) => number) => median(rounds.map(({ moved }) => quantity(moved)));
  return [
    compared(group, 'stored', 'rows/s', rounds, ({ rows, seconds }) => rows / seconds),
    {
      group,
      measure: 'CPU of the service',
      unit: 's per million',
      sluice: medianMoved((moved) => perMillion(moved.cpu, moved)),
    },
    compared(group, 'CPU of ClickHouse', 's per million', rounds, (moved) => perMillion(moved.clickhouseCpu, moved)),
    { group, measure: 'peak memory', unit: 'MiB', sluice: Math.max(...rounds.map(({ moved }) => moved.peakMb)) },
  ];
}

function compared(
  group: string,
  measure: string,
  unit: string,
  rounds: readonly Round[],
  quantity: (moved: Moved) => number,
): BenchFigure {
  const pairs = rounds.map(({ moved, bare }) => ({ sluice: quantity(moved), floor: quantity(bare) }));
  return sideBySide({ group, measure, unit }, pairs);
}

/** Compares with ClickHouse alone: the same rows into the same kind of table. */
function besides(rounds: readonly Round[]): BenchFigure[] {
  const group = 'rows from Kafka into ClickHouse (floor: ClickHouse by itself)';
  const against = (rival: string, floorOf: (round: Round) => number): BenchFigure => {
    const pairs = rounds.map((round) => ({ sluice: rowsPerSecond(round), floor: floorOf(round) }));
    return sideBySide({ group, measure: `against ${rival}`, unit: 'rows/s' }, pairs);
  };
  return [
    against('bare INSERTs with its own optimize_on_insert = 1', ({ looking }) => looking),
    against('bare INSERTs that read value by value', ({ apart }) => apart),
    against('its Kafka engine, one consumer', ({ engines }) => engines[0] ?? 0),
    against('its Kafka engine, two consumers', ({ engines }) => engines[1] ?? 0),
  ];
}
