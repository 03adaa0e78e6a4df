import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClient } from './index.js';
import { type Work } from './tracking-work.spec-support.js';

/** Keeps messages as the service does: once for each key, position and bytes of a message. */
let stored: Map<string, string>;
let isDown: boolean;
let server: Server;
let folder: string;
const processes: ChildProcess[] = [];

beforeEach(async () => {
  stored = new Map();
  isDown = false;
  folder = mkdtempSync(join(tmpdir(), 'sluice-killed-'));
  server = createServer((request, answer) => {
    text(request).then(
      (body) => {
        if (isDown) return answer.destroy();
        const { list } = JSON.parse(body) as { list: { properties: { process: number; at: number } }[] };
        for (const [index, item] of list.entries()) {
          const place = `${String(request.headers['idempotency-key'])} ${index} ${JSON.stringify(item)}`;
          const { process: pid, at } = item.properties;
          stored.set(createHash('sha256').update(place).digest('base64'), `${pid} ${at}`);
        }
        return answer.end('{"status":"QUEUED"}');
      },
      () => undefined,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  for (const one of processes.splice(0)) one.kill('SIGKILL');
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const options = () => ({
  credentials: { apiKey: 'key', sourceIdentifier: 'Source000001' },
  apiHost: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  storage: { directory: join(folder, 'queue') },
  flushInterval: 30,
});

function start(burst: number): ChildProcess {
  const work: Work = { options: options(), name: 'killed', tookFile: join(folder, 'took'), burst };
  const program = new URL('./tracking-process.spec-support.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [...process.execArgv, program, JSON.stringify(work)], { stdio: 'inherit' });
  processes.push(child);
  return child;
}

const took = (): string[] => {
  try {
    // A line without an end was written while its process was killed.
    return readFileSync(join(folder, 'took'), 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
};

async function grown(by: number): Promise<void> {
  const before = took().length;
  await expect.poll(() => took().length, { timeout: 20_000, interval: 10 }).toBeGreaterThan(before + by);
}

/** A client that sends what killed processes left; the counts of what is missing and doubled. */
async function outcome(): Promise<{ missing: string[]; doubled: number }> {
  const client = createClient(options());
  const missing = (): string[] => {
    const names = new Set(stored.values());
    return took().filter((name) => !names.has(name));
  };
  await expect
    .poll(async () => ((await client.flush()).left === 0 ? missing().length : -1), { timeout: 60_000 })
    .toBe(0);
  await client.close();
  return { missing: missing(), doubled: stored.size - new Set(stored.values()).size };
}

it.each([1, 7, 150])(
  'processes killed in bursts of %i lose and double nothing',
  async (burst) => {
    for (let turn = 0; turn < 5; turn++) {
      const child = start(burst);
      await grown(burst);
      await sleep(Math.random() * 60);
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    expect(await outcome()).toEqual({ missing: [], doubled: 0 });
  },
  120_000,
);

it('three processes share a directory; two are killed while the service is away', async () => {
  const children = [start(3), start(40), start(11)];
  await grown(200);
  isDown = true;
  await grown(200);
  for (const child of children.slice(0, 2)) child.kill('SIGKILL');
  await sleep(100);
  isDown = false;
  children[2]?.kill('SIGTERM');
  await once(children[2] ?? server, 'exit');
  expect(await outcome()).toEqual({ missing: [], doubled: 0 });
}, 120_000);
