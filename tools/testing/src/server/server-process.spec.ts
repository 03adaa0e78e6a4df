import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { logTail } from './log-tail.js';
import { ServerProcess } from './server-process.js';
import { type ServerSpec } from './server-spec.js';
import { signalGroup } from './signal-group.js';

const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
afterAll(() => rmSync(folder, { recursive: true }));

function script(name: string, code: string, spec: Partial<ServerSpec> = {}): ServerSpec {
  const logFile = join(folder, `${name}.log`);
  const isReady = () => Promise.resolve(logTail(logFile).includes('ready'));
  return { name, command: process.execPath, args: ['-e', code], logFile, isReady, ...spec };
}

const forever = 'setInterval(() => {}, 1000); console.log("ready");';

test('a server is ready when its check says so, and ends on SIGTERM', async () => {
  const server = await ServerProcess.spawn(script('plain', forever));
  await server.untilReady(5_000);
  await server.stop();

  expect(await server.ended).toBe('SIGTERM');
  expect(signalGroup(server.pid, 0)).toBe(false);
});

test('a server that ignores SIGTERM is killed with its children', async () => {
  const deaf = `process.on('SIGTERM', () => {}); require('node:child_process').spawn('sleep', ['100']); ${forever}`;
  const server = await ServerProcess.spawn(script('deaf', deaf));
  await server.untilReady(5_000);
  await server.stop(100);

  expect(await server.ended).toBe('SIGKILL');
  await expect.poll(() => signalGroup(server.pid, 0)).toBe(false);
});

test('the error of a server that ends before it is ready shows its log', async () => {
  const server = await ServerProcess.spawn(script('broken', 'console.error("no such thing"); process.exit(3)'));

  await expect(server.untilReady(5_000)).rejects.toThrow(/broken ended \(exit code 3\).*\n.*no such thing/);
});

test('a server that never becomes ready is killed', async () => {
  const server = await ServerProcess.spawn(script('slow', 'setInterval(() => {}, 1000)'));

  await expect(server.untilReady(300)).rejects.toThrow('slow was not ready');
  expect(server.isAlive).toBe(false);
});

test('starting a missing program fails', async () => {
  const spawned = ServerProcess.spawn(script('absent', '', { command: '/no/such/program', lifeline: true }));

  await expect(spawned).rejects.toThrow('absent could not be started');
});

test('a lifeline keeps standard input open while this process lives', async () => {
  const reads = 'process.stdin.resume().on("end", () => process.exit(7)); console.log("ready")';
  const server = await ServerProcess.spawn(script('lifeline', reads, { lifeline: true }));
  await server.untilReady(5_000);

  expect(server.isAlive).toBe(true);
  await server.stop();
});
