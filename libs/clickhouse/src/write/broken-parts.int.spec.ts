import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from '@sluice/service';
import { type RunningClickHouse, startClickHouse } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BlockWriter } from './block-writer.js';
import { BrokenParts } from './broken-parts.js';
import { createClickHouse } from '../connection/client.js';

let folder: string;
let server: RunningClickHouse | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-broken-'));
});
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Starts ClickHouse, with the files of earlier starts. */
async function started() {
  server = await startClickHouse({ dataDir: folder });
  const client = createClickHouse({
    CLICKHOUSE_URL: server.url,
    CLICKHOUSE_DATABASE: 'default',
    CLICKHOUSE_USER: 'default',
    CLICKHOUSE_PASSWORD: '',
  });
  return { client, writer: new BlockWriter(client) };
}

/** Empties the list of columns of every part, as a loss of power can. */
async function breakParts(): Promise<void> {
  const files = await readdir(join(folder, 'data', 'store'), { recursive: true });
  const lists = files.filter((name) => /all_\d+_\d+_\d+\/columns\.txt$/.test(name));
  for (const list of lists) await truncate(join(folder, 'data', 'store', list));
}

it('counts parts that ClickHouse sets aside; a replay stores their rows again', async () => {
  const block = {
    id: 'a',
    partition: 1,
    rows: [{ value: Buffer.from('{"n":1}'), offset: '5', timestamp: '1700000000012' }],
    possibleRepeats: [],
  };
  const first = await started();
  await first.client.command({
    query: `CREATE TABLE things (n UInt32, kafka_partition UInt16, kafka_offset UInt64, kafka_timestamp DateTime64(3, 'UTC'))
            ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 100`,
  });
  await first.writer.append('things', { ...block, replay: false });
  expect(await first.writer.brokenParts()).toEqual(new Map());
  await first.writer.close();
  await server?.stop();
  await breakParts();

  const { client, writer } = await started();
  const registry = new Registry();
  await new BrokenParts(registry, writer).look();

  expect(await registry.metrics()).toContain('sluice_clickhouse_broken_parts{table="things"} 1');
  // ClickHouse still remembers the block's id, so the row must go in under another.
  await writer.append('things', { ...block, replay: true });
  const stored = await client.query({ query: 'SELECT n FROM things', format: 'JSONEachRow' });
  expect(await stored.json()).toEqual([{ n: 1 }]);
  await writer.close();
});
