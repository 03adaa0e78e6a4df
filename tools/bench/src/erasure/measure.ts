import { join } from 'node:path';
import { type ClickHouseClient } from '@clickhouse/client';
import {
  type ErasureResources,
  exportPerson,
  openFolderTarget,
  requestErasure,
  runErasures,
  runWithErasures,
} from '@sluice/operations';
import { PrivacyKey } from '@sluice/privacy';
import { removeReplacedPartsAtOnce } from '@sluice/testing';
import { clickhouseConfig } from '../clickhouse-config.js';
import { countTableRows, openClickHouse } from '../events-table.js';
import { type BenchOptions } from '../options.js';
import { progress } from '../progress.js';
import { type BenchReport, type BenchFigure } from '../report.js';
import { makeTables } from '../queries/make-tables.js';
import { type BenchServers } from '../servers.js';

const source = 'BenchShop001';
const eventsOfOne = 25;
const manyPeople = 1_000;
/** Rows of the person with the most rows, who is exported. */
const exportedRows = 31_677;
const rowsPerInsert = 2_000_000;
const weeks = 8;
const maxRatio = 1.3;

/**
 * Measures how long it takes to erase one person, then 1,000 people, from a large table and to verify that, and the
 * export of a person with many rows. Kafka holds nothing here, so the barrier costs nothing.
 */
export async function measureErasure(servers: BenchServers, { load }: BenchOptions): Promise<BenchReport> {
  await makeTables(servers);
  const client = openClickHouse(servers);
  try {
    progress(`erasure: filling in ${load.storedEvents.toLocaleString('en-US')} events`);
    for (let from = 0; from < load.storedEvents; from += rowsPerInsert) {
      const rows = Math.min(rowsPerInsert, load.storedEvents - from);
      await fill(client, { from, rows, people: load.storedEvents / 50 });
      progress(`  ${(from + rows).toLocaleString('en-US')}`);
    }
    await fill(client, { from: 0, rows: exportedRows, people: 1, prefix: 'export' });
    for (const prefix of ['one', 'other']) await fill(client, { from: 0, rows: eventsOfOne, people: 1, prefix });
    await fill(client, { from: 0, rows: eventsOfOne * manyPeople, people: manyPeople, prefix: 'many' });
    progress('  merging them');
    await client.command({ query: 'OPTIMIZE TABLE events FINAL' });
    // The wait until a server removes replaced parts is not measured.
    await removeReplacedPartsAtOnce(client, ['events']);
    return await measure(servers, client);
  } finally {
    await client.close();
  }
}

function measure(servers: BenchServers, client: ClickHouseClient): Promise<BenchReport> {
  const kafka = { KAFKA_BROKERS: servers.brokers, TOPIC_PARTITIONS: 1, TOPIC_REPLICATION_FACTOR: 1 };
  const config = { ...kafka, ...clickhouseConfig(servers.clickhouseUrl) };
  const key = new PrivacyKey('a secret of the bench, long enough');
  const places = { gateways: [], consumers: [], adRequestPaths: [], backupDays: 30, verifyAfterMs: 0 };
  return runWithErasures({ config, client: 'bench', key, ...places }, async (resources) => {
    const allRows = await countTableRows(client);
    progress('erasure: an export');
    const exported = await timed(() => exportToFolder(resources, join(servers.folder, 'export')));
    progress('erasure: one person');
    const single = await erased(resources, ['one-0']);
    progress(`erasure: ${manyPeople} people`);
    const batch = await erased(
      resources,
      Array.from({ length: manyPeople }, (_, number) => `many-${number}`),
    );
    // Erases a second single person after the batch, so that the order favours neither.
    progress('erasure: another person');
    const secondSingle = await erased(resources, ['other-0']);
    const remainingRows = await countTableRows(client);
    const erasedRows = eventsOfOne * (manyPeople + 2);
    const figure = (measure: string, unit: string, sluice: number): BenchFigure => ({
      ...{ group: `erasure, ${(allRows / 1e6).toFixed(0)} M events`, measure, unit, sluice },
    });
    const secondsOfOne = (single.deleting + secondSingle.deleting) / 2;
    const deleting = batch.deleting / secondsOfOne;
    return {
      figures: [
        figure(`export of ${exported.result} rows`, 's', exported.seconds),
        figure('one person, verified, mean of two', 's', (single.seconds + secondSingle.seconds) / 2),
        figure('one person, from the first mutation on, mean of two', 's', secondsOfOne),
        figure(`${manyPeople} people, verified`, 's', batch.seconds),
        figure(`${manyPeople} people, from the first mutation on`, 's', batch.deleting),
        { ...figure(`${manyPeople} people against one`, 'x', deleting) },
      ],
      failures: [
        ...(allRows - remainingRows === erasedRows
          ? []
          : [`${allRows - remainingRows} events are gone, not ${erasedRows}`]),
        ...(deleting <= maxRatio ? [] : [`${manyPeople} people take ${deleting.toFixed(2)} times as long as one`]),
      ],
    };
  });
}

/** Inserts rows of people who each have an anonymous id too, spread over weeks. */
async function fill(
  client: ClickHouseClient,
  { from, rows, people, prefix = 'p' }: { from: number; rows: number; people: number; prefix?: string },
): Promise<void> {
  await client.command({
    query: `INSERT INTO events (source_id, event, timestamp, user_id, anonymous_id, message_id, properties, context, received_at)
      WITH number + ${from} AS nth, intHash64(nth) AS chance, concat('${prefix}-', toString(nth % ${Math.ceil(people)})) AS person,
        now64(3) - toIntervalSecond(chance % (${weeks} * 604800)) AS at
      SELECT '${source}', concat('event ', toString(chance % 40)), at, if(chance % 4 = 0, '', person), concat('a-', person), generateUUIDv4(),
        concat('{"page":"/p/', toString(chance % 5000), '","price":', toString(chance % 900), ',"note":"', hex(chance), '"}'),
        '{"locale":"en"}', at
      FROM numbers(${rows})`,
    clickhouse_settings: { max_partitions_per_insert_block: '1000', max_insert_threads: '2' },
  });
}

interface Timed<T> {
  readonly seconds: number;
  readonly result: T;
}

async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const startedAt = performance.now();
  const result = await work();
  return { seconds: (performance.now() - startedAt) / 1_000, result };
}

async function erased(
  resources: ErasureResources,
  users: readonly string[],
): Promise<{ seconds: number; deleting: number }> {
  const { seconds, result } = await timed(async () => {
    const requests: string[] = [];
    for (const id of users)
      requests.push((await requestErasure(resources, { ids: [{ source, kind: 'user', id }], by: 'bench' })).request);
    return runErasures(resources, { requests, say: progress });
  });
  const open = result.filter(({ state }) => state !== 'waiting');
  if (open.length > 0) throw new Error(`${open.length} erasures were not verified: ${open[0]?.problem ?? ''}`);
  const { deleting = '', verified = '' } = result[0]?.reached ?? {};
  return { seconds, deleting: (Date.parse(verified) - Date.parse(deleting)) / 1_000 };
}

async function exportToFolder({ kafka, servers, tables }: ErasureResources, folder: string): Promise<number> {
  const ids = [{ source, kind: 'user', id: 'export-0' }] as const;
  const manifest = await exportPerson({
    kafka,
    servers,
    tables,
    ids,
    isReverse: false,
    target: await openFolderTarget(folder),
    maxMs: 60_000,
  });
  return manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
}
