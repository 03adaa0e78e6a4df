import cluster from 'node:cluster';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Worker } from './worker.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-worker-'));
  const exec = join(folder, 'idle.mjs');
  writeFileSync(exec, 'setInterval(() => {}, 1_000);');
  cluster.setupPrimary({ exec, execArgv: [] });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Blocks this process, so that it does not know yet what the system did in this time. */
const stall = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

it('a question to a worker that has just been killed has no answer, and the worker still ends', async () => {
  const worker = new Worker({}, () => undefined);
  process.kill(worker.pid, 'SIGKILL');
  stall(300);
  expect(await worker.ask('ready')).toBeUndefined();
  expect(await worker.ended).toBe('SIGKILL');
  await expect(worker.listening()).rejects.toThrow('a worker ended (SIGKILL) before it listened');
});
