import { eventually } from '@sluice/testing';
import { createServer, request } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Row, type RowBlock } from '@sluice/clickhouse';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { shell } from './given-cluster.js';
import { ReplicaBed } from './replica-bed.js';

// Rules of a replicated shard on which exactly-once storage depends (docs/decisions/0017-cluster-mode.md).

const bed = new ReplicaBed();
const [first, second] = bed.urls;
beforeAll(() => bed.prepare());
afterAll(() => bed.stop());
beforeEach(() => bed.command(first, 'TRUNCATE TABLE rows SETTINGS alter_sync = 2'));

let from = 0;
/** A block of rows that were in no block before. */
function aBlock(count = 3): RowBlock & { rows: readonly Row[] } {
  const rows = Array.from({ length: count }, (_, i) => {
    const offset = String(from + i);
    return { value: Buffer.from(`{"n":${offset}}`), offset, timestamp: '1700000000012' };
  });
  const id = `t:0:${from}-${from + count - 1}@${Date.now()}`;
  from += count;
  return { id, partition: 0, rows };
}
const rowNumbers = ({ rows }: RowBlock): number[] => rows.map(({ offset }) => Number(offset));
const appended = (block: RowBlock & { rows: readonly Row[] }, replay = false) => ({
  ...block,
  replay,
  possibleRepeats: [],
});

it('every replica of every shard has the table, replicated', async () => {
  for (const url of [...bed.cluster.shards.values()].flat()) {
    const query = `SELECT engine FROM system.tables WHERE database = '${bed.database}'`;
    expect(await bed.select(url, query), url).toEqual([{ engine: 'ReplicatedMergeTree' }]);
  }
});

it('a block that one replica has stored is a repeat at the other', async () => {
  const block = aBlock();
  await bed.writer(first).append('rows', appended(block));
  await bed.writer(second).append('rows', appended(block));
  for (const url of bed.urls) expect(await bed.ids(url)).toEqual(rowNumbers(block));
});

it('a look-up at a replica that lags waits for the rows that another has acknowledged', async () => {
  const block = aBlock();
  await bed.command(second, 'SYSTEM STOP FETCHES rows');
  try {
    await bed.writer(first).append('rows', appended(block));
    const answer = bed.writer(second).lookUp<{ n: number }>('rows', 'SELECT n FROM rows ORDER BY n');
    expect(await Promise.race([answer, sleep(2_000, 'waits')])).toBe('waits');
    await bed.command(second, 'SYSTEM START FETCHES rows');
    expect((await answer).map(({ n }) => n)).toEqual(rowNumbers(block));
  } finally {
    await bed.command(second, 'SYSTEM START FETCHES rows');
  }
});

it('behind a balancer that picks any replica, a look-up and its sync ask the same one', async () => {
  const urls = { sync: '', look: '' };
  const balancer = createServer((incoming, outgoing) => {
    const url = bed.urls[Math.floor(Math.random() * bed.urls.length)] ?? '';
    const to = request(`${url}${incoming.url ?? ''}`, { method: incoming.method ?? 'GET', headers: incoming.headers });
    let body = '';
    incoming
      .on('data', (piece: Buffer) => (body += piece.toString()))
      .on('end', () => {
        urls[body.includes('SYNC REPLICA') ? 'sync' : 'look'] = url;
      });
    incoming.pipe(to);
    to.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
  });
  await once(balancer.listen(0, '127.0.0.1'), 'listening');
  const writer = bed.writer(`http://127.0.0.1:${(balancer.address() as AddressInfo).port}`);
  try {
    for (let i = 0; i < 10; i++) {
      await writer.lookUp('rows', 'SELECT n FROM rows');
      expect(urls.look).toBe(urls.sync);
    }
  } finally {
    await writer.close();
    balancer.close();
  }
});

it('with quorum, an INSERT is answered only when the other replica has the rows', async () => {
  const block = aBlock();
  await bed.command(second, 'SYSTEM STOP FETCHES rows');
  try {
    const insert = bed.writer(first, 'quorum').append('rows', appended(block));
    expect(await Promise.race([insert, sleep(2_000, 'waits')])).toBe('waits');
    await bed.command(second, 'SYSTEM START FETCHES rows');
    await insert;
    expect(await bed.select(second, 'SELECT count() AS n FROM rows')).toEqual([{ n: 3 }]);
  } finally {
    await bed.command(second, 'SYSTEM START FETCHES rows');
  }
});

it('TRUNCATE, then a replay of the same blocks: their rows are there again, once', async () => {
  const blocks = [aBlock(), aBlock()];
  const writer = bed.writer(first);
  for (const block of blocks) await writer.append('rows', appended(block));
  await bed.command(first, 'TRUNCATE TABLE rows SETTINGS alter_sync = 2');
  for (const block of blocks) await bed.writer(second).append('rows', appended(block, true));
  for (const block of blocks) await writer.append('rows', appended(block, true));
  for (const url of bed.urls) expect(await bed.ids(url)).toEqual(blocks.flatMap(rowNumbers));
});

it.each(['none', 'quorum'] as const)(
  'Keeper is paused in the middle of INSERTs (durability %s): the sender gives up, and a replay stores each row once',
  async (durability) => {
    const quorum = durability === 'quorum' ? durability : undefined;
    const blocks = Array.from({ length: 6 }, () => aBlock(500));
    const outcomes: string[] = [];
    for (const [i, block] of blocks.entries()) {
      // The INSERT begins first, so that the pause falls into the middle of it.
      const early = bed.writer(first, quorum, 4_000).append('rows', appended(block));
      const outcome = early.then(
        () => 'stored',
        () => 'in doubt',
      );
      await sleep(i * 8);
      outcomes.push(await bed.whileKeeperIsPaused(() => outcome, i % 2 === 0 ? 3_000 : 8_000));
      const url = bed.urls[i % 2];
      await eventually(() => bed.writer(url, quorum).append('rows', appended(block, true)), 90_000);
    }
    expect(outcomes).toContain('in doubt');
    for (const url of bed.urls) expect(await bed.ids(url)).toEqual(blocks.flatMap(rowNumbers));
  },
);

it('the server does not cut an INSERT off: it waits for Keeper until the sender gives up', async () => {
  const block = aBlock();
  await shell(bed.cluster.pauseKeeper);
  try {
    const insert = bed.writer(first, undefined, 6_000).append('rows', appended(block));
    const outcome = insert.then(
      () => 'stored',
      () => 'given up',
    );
    const limits = await eventually(async () => {
      const running = await bed.select<{ own: string }>(
        first,
        `SELECT Settings['max_execution_time'] AS own FROM system.processes
         WHERE Settings['insert_deduplication_token'] = '${block.id}'`,
      );
      expect(running).toHaveLength(1);
      return running;
    });
    expect(['', '0']).toContain(limits[0]?.own);
    await outcome;
  } finally {
    await shell(bed.cluster.resumeKeeper);
  }
  await eventually(() => bed.writer(first).append('rows', appended(block, true)));
  for (const url of bed.urls) expect(await bed.ids(url)).toEqual(rowNumbers(block));
});
