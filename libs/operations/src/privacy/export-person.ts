import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { quoteText, shardedTables } from '@sluice/clickhouse';
import { type Kafka } from '@sluice/kafka';
import { OperationError } from '../operation-error.js';
import { findClosure } from './closure.js';
import { findTargets } from './erase-rows.js';
import { idsCondition, type HashedPeople, type PersonId, hashPeople } from './people.js';
import { type TableOptions } from './person-tables.js';
import { readBehindPersonEnds, describeBehind, readPersonEnds } from './person-topics.js';
import { askClickHouse, quoteTable, queryRows, type TableServers } from './servers.js';

/** Destination of an export, which writes one file after the other. */
export interface ExportTarget {
  /** Resolves when the whole file is written. */
  write(file: string, content: AsyncIterable<Uint8Array>): Promise<void>;
}

export interface ExportQuestion {
  readonly kafka: Kafka;
  readonly servers: TableServers;
  readonly tables: TableOptions;
  readonly ids: readonly PersonId[];
  readonly isReverse: boolean;
  readonly target: ExportTarget;
  /** Time to wait for messages that are not stored yet. */
  readonly maxMs: number;
}

/** Max number of pairs of day and event by which rows are looked for; more would read nearly everything anyway. */
const maxPairs = 5_000;
const lineFeed = 10;

/** Contents of an export, written next to the rows as `manifest.json`. */
export interface ExportManifest {
  readonly at: string;
  readonly sources: readonly string[];
  readonly ids: readonly PersonId[];
  readonly tables: readonly { table: string; file: string; rows: number; bytes: number; sha256: string }[];
}

/** Writes into a folder that is empty, or does not exist yet. @throws OperationError when it is not empty */
export async function openFolderTarget(folder: string): Promise<ExportTarget> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new OperationError(`${folder} is not empty`);
  return {
    write: (file, content) => pipeline(content, createWriteStream(join(folder, file), { mode: 0o600, flags: 'wx' })),
  };
}

/**
 * Writes all rows of a person as NDJSON, a file per table, once everything is stored that Kafka had at the call. The last
 * file is the manifest. @throws OperationError when messages are not stored in time
 */
export async function exportPerson(question: ExportQuestion): Promise<ExportManifest> {
  const { kafka, servers, tables, target, maxMs } = question;
  await waitUntilStored(kafka, maxMs);
  const { ids } = await findClosure(servers, question.ids, question.isReverse);
  const people = hashPeople(ids);
  const tableEntries: ExportManifest['tables'][number][] = [];
  const writtenTables = new Set<string>();
  for (const { server, table, condition, isOfOthers } of await findTargets(servers, people, tables)) {
    // Once for each table: the reader sees the rows of all shards under the table's name.
    if (isOfOthers || writtenTables.has(table)) continue;
    writtenTables.add(table);
    const from = shardedTables.has(table) ? table : quoteTable(server, table);
    const narrowedCondition = table === 'events' ? await narrowCondition(servers, people, condition) : condition;
    tableEntries.push(await writeTable(servers, { target, table, from, condition: narrowedCondition }));
  }
  const manifest = {
    at: new Date().toISOString(),
    sources: people.map(({ source }) => source),
    ids,
    tables: tableEntries,
  };
  await target.write('manifest.json', Readable.from([Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)]));
  return manifest;
}

async function waitUntilStored(kafka: Kafka, maxMs: number): Promise<void> {
  const ends = await readPersonEnds(kafka);
  const deadline = performance.now() + maxMs;
  for (;;) {
    const behind = await readBehindPersonEnds(kafka, ends);
    if (behind.length === 0) return;
    if (performance.now() > deadline) throw new OperationError(`not stored in time: ${describeBehind(behind)}`);
    await sleep(200);
  }
}

/**
 * Adds the days and names of the people's events: the projection by person finds them, and with them little else of the
 * table is read. A person has few such pairs; if there are many, the condition stays as it is.
 */
async function narrowCondition(
  { reader }: TableServers,
  people: readonly HashedPeople[],
  condition: string,
): Promise<string> {
  const ids = people.map(({ source, users, anonymous }) => ({ source, hashes: [...users, ...anonymous] }));
  const daysOfEvents = await queryRows<{ day: string; event: string }>(
    reader,
    `SELECT DISTINCT toString(toDate(timestamp)) AS day, event::String AS event FROM events
     WHERE ${idsCondition(ids, 'identity')} LIMIT ${maxPairs + 1}`,
  );
  if (daysOfEvents.length > maxPairs) return condition;
  const pairs = daysOfEvents.map(({ day, event }) => `(toDate('${day}'), ${quoteText(event)})`);
  if (pairs.length === 0) return `false`;
  return `(toDate(timestamp), event) IN (${pairs.join(', ')}) AND (${condition})`;
}

interface TableToWrite {
  readonly target: ExportTarget;
  readonly table: string;
  readonly from: string;
  readonly condition: string;
}

async function writeTable(
  { reader }: TableServers,
  { target, table, from, condition }: TableToWrite,
): Promise<ExportManifest['tables'][number]> {
  const file = `${table}.ndjson`;
  const { stream } = await askClickHouse(() =>
    reader.exec({
      query: `SELECT * FROM ${from} FINAL WHERE ${condition} FORMAT JSONEachRow`,
      // A copy may take longer than a question: bodies of a whole table are searched.
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0, wait_end_of_query: 1, max_execution_time: 0 },
    }),
  );
  const hash = createHash('sha256');
  const counts = { rows: 0, bytes: 0 };
  async function* countChunks(): AsyncGenerator<Buffer> {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      hash.update(chunk);
      counts.bytes += chunk.length;
      for (let index = chunk.indexOf(lineFeed); index >= 0; index = chunk.indexOf(lineFeed, index + 1))
        counts.rows += 1;
      yield chunk;
    }
  }
  await target.write(file, countChunks());
  return { table, file, ...counts, sha256: hash.digest('hex') };
}
