import { eventually } from '@sluice/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient, type NodeClient, type NodeOptions } from '@sluice/node';
import { faults, FaultProxy } from '@sluice/sdk-faults';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { local, select } from '../stack.js';
import { expectOnce } from './client-page.js';

let proxy: FaultProxy;
let directory: string;
const clients: NodeClient[] = [];
const processes: ChildProcess[] = [];

beforeAll(async () => {
  proxy = await FaultProxy.start(local().gateway.url);
});
afterAll(() => proxy.stop());
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-node-'));
});
afterEach(async () => {
  for (const child of processes.splice(0)) child.kill('SIGKILL');
  await Promise.all(clients.splice(0).map((client) => client.close()));
  rmSync(directory, { recursive: true, force: true });
});

const options = (change: Partial<NodeOptions> = {}): NodeOptions => ({
  credentials: local().source,
  apiHost: proxy.url,
  storage: { directory },
  flushInterval: 50,
  ...change,
});

function aClient(change: Partial<NodeOptions> = {}): NodeClient {
  const client = createClient(options(change));
  clients.push(client);
  return client;
}

it.each(['memory', 'directory'] as const)('an event of a server is a row (%s)', async (kind) => {
  const client = aClient(kind === 'memory' ? { storage: kind } : {});
  const event = `node_first_${kind}`;
  expect(client.track(event, { total: 49.9 }, { userId: 'u-1', timestamp: '2020-01-02T03:04:05.678Z' })).toBe(true);
  expect(await client.close()).toEqual({ sent: 1, left: 0 });
  await expectOnce(event, [event]);
  const [row] = await select(
    `SELECT user_id, properties.total AS total, timestamp, context.sdk.name AS sdk FROM events WHERE event = {event:String}`,
    { event },
  );
  expect(row).toEqual({ user_id: 'u-1', total: 49.9, timestamp: '2020-01-02 03:04:05.678', sdk: '@sluice/node' });
});

it('answers that are cut, refused or of someone else lose and double nothing', async () => {
  const client = aClient({ flushAt: 5 });
  proxy.next(faults.cutAfter, faults.portal);
  const names = Array.from({ length: 20 }, (_, index) => `node_cut_${index}`);
  for (const name of names) client.track(name, {}, { userId: 'u' });
  await vi.waitFor(async () => {
    expect(await client.flush()).toMatchObject({ left: 0 });
  }, 90_000);
  await expectOnce('node_cut_', names);
});

const program = fileURLToPath(new URL('../../../../tests/sdk-faults/dist/node/shop.js', import.meta.url));

it('processes that share a directory and are killed lose and double nothing', async () => {
  const run = `e2e-${process.pid}-${Date.now()}`;
  const books: string[] = [];
  const start = (isCalm = false): ChildProcess => {
    const book = join(directory, `book-${books.length}`);
    books.push(book);
    const work = {
      options: options({ flushInterval: 200 }),
      run,
      tab: `tab-${books.length}`,
      book,
      speed: 1,
      beganAt: Date.now(),
      isCalm,
    };
    const child = spawn(process.execPath, [program, JSON.stringify(work)], { stdio: ['ignore', 'inherit', 'inherit'] });
    processes.push(child);
    return child;
  };
  for (let turn = 0; turn < 4; turn++) {
    const pair = [start(), start()];
    await eventually(() => expect(books.slice(-2).map((book) => readLines(book).length > 5)).toEqual([true, true]));
    await sleep(Math.random() * 300);
    for (const child of pair) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  start(true);
  const took = books.flatMap((book, index) =>
    readLines(book).flatMap(([kind, n]) => (kind === 'took' ? [`tab-${index + 1} ${n}`] : [])),
  );
  expect(took.length).toBeGreaterThan(20);
  await eventually(async () => {
    const rows = await select<{ tab: string; n: number; times: string }>(
      `SELECT properties.tab.:String AS tab, properties.n.:Int64::Int32 AS n, count() AS times FROM events
       WHERE event = 'node_faults' AND properties.run.:String = {run:String} GROUP BY tab, n`,
      { run },
    );
    const stored = new Set(rows.map(({ tab, n }) => `${tab} ${n}`));
    expect(took.filter((name) => !stored.has(name))).toEqual([]);
    expect(rows.filter(({ times }) => Number(times) !== 1)).toEqual([]);
  });
});

const readLines = (file: string): [string, number][] => {
  try {
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as [string, number]);
  } catch {
    // The process was killed before it began.
    return [];
  }
};
