import { ServerProcess } from '@sluice/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lock, unlock } from './lock.js';
import { identifyProcess } from './process-identity.js';
import { ProcessRecord, stopOrphans } from './process-record.js';

let folder: string;
let server: ServerProcess;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-'));
  server = await ServerProcess.spawn({
    name: 'orphan',
    command: process.execPath,
    args: ['-e', 'setInterval(() => {}, 1000)'],
    logFile: join(folder, 'orphan.log'),
    isReady: () => Promise.resolve(true),
  });
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

test('the next supervisor finds a recorded process and stops it', async () => {
  await new ProcessRecord(folder).put('orphan', server.pid);

  const orphans = await new ProcessRecord(folder).orphans();
  expect(orphans.map(({ pid }) => pid)).toEqual([server.pid]);
  await stopOrphans(orphans);
  expect(await server.ended).toBe('SIGTERM');
  expect(await new ProcessRecord(folder).orphans()).toEqual([]);
});

test('another process that reuses the pid of a recorded one is left alone', async () => {
  const identity = await identifyProcess(server.pid);
  const otherProcesses = [
    { ...identity, startedAt: Date.now() - 3_600_000 },
    { ...identity, commandLine: 'java kafka.Kafka' },
    'not an identity',
  ];
  writeFileSync(join(folder, 'processes.json'), JSON.stringify(otherProcesses));

  expect(await new ProcessRecord(folder).orphans()).toEqual([]);
});

test('a data folder has at most one supervisor', async () => {
  await lock(folder);
  await expect(lock(folder)).rejects.toThrow(`already running on ${folder} (pid ${process.pid})`);

  unlock(folder);
  await lock(folder);
});

test('a supervisor takes over the lock of a killed one', async () => {
  const dead = { pid: server.pid, startedAt: 0, commandLine: 'node main.js' };
  writeFileSync(join(folder, 'supervisor.json'), JSON.stringify(dead));

  await lock(folder);
  await expect(lock(folder)).rejects.toThrow('already running');
});
