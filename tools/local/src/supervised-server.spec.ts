import { freePort, type ServerSpec } from '@sluice/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { toServerSpec } from './app.js';
import { SupervisedServer } from './supervised-server.js';

const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
const program = fileURLToPath(new URL('../fixtures/service.mjs', import.meta.url));
afterAll(() => rmSync(folder, { recursive: true }));

let stopping: AbortController;
let server: SupervisedServer;
let pids: number[];
let deaths: string[];
let recoveries: number;
beforeEach(() => {
  stopping = new AbortController();
  pids = [];
  deaths = [];
  recoveries = 0;
});
afterEach(async () => {
  stopping.abort();
  await server.stop(1_000);
});

function supervise(spec: ServerSpec): SupervisedServer {
  server = new SupervisedServer(
    spec,
    stopping.signal,
    {
      spawned: (_, pid) => {
        pids.push(pid);
        return Promise.resolve();
      },
      died: (_, ending, restartInMs) => deaths.push(`${ending}, ${restartInMs}`),
      recovered: () => (recoveries += 1),
    },
    { firstMs: 10, maxMs: 40, goodRunMs: 60_000 },
  );
  return server;
}

async function service(code?: string): Promise<ServerSpec> {
  const logFile = join(folder, 'service.log');
  const managementPort = await freePort();
  const spec = toServerSpec({ name: 'tracking', program, managementPort, env: {}, logFile });
  return code === undefined ? spec : { ...spec, args: ['-e', code], isReady: () => Promise.resolve(true) };
}

test('a killed server comes back on the same port', async () => {
  const spec = await service();
  await supervise(spec).start();
  process.kill(pids[0] ?? 0, 'SIGKILL');

  await expect.poll(() => pids.length, { timeout: 5_000 }).toBe(2);
  await expect.poll(() => recoveries, { timeout: 5_000 }).toBe(1);
  expect(await spec.isReady()).toBe(true);
  expect(deaths).toEqual(['SIGKILL, 10']);
});

test('a server that keeps dying is restarted with growing waits', async () => {
  await supervise(await service('setTimeout(() => process.exit(3), 100)')).start();

  await expect.poll(() => deaths.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(4);
  expect(deaths.slice(0, 4)).toEqual(['exit code 3, 10', 'exit code 3, 20', 'exit code 3, 40', 'exit code 3, 40']);
});

test('a stopped server is not restarted', async () => {
  const spec = await service();
  await supervise(spec).start();
  stopping.abort();
  await server.stop(1_000);

  expect(await spec.isReady()).toBe(false);
  expect(pids).toHaveLength(1);
  expect(deaths).toEqual([]);
});

test('a failed first start is not repeated', async () => {
  const spec = { ...(await service('process.exit(4)')), isReady: () => Promise.resolve(false) };

  await expect(supervise(spec).start()).rejects.toThrow('exit code 4');
  expect(pids).toHaveLength(1);
});
