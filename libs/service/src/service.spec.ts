import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it, vi } from 'vitest';

/** An app that starts when it reads `go` on stdin, and takes `CLOSE_MS` to stop. */
const app = `
  import { once } from 'node:events';
  import { setTimeout as sleep } from 'node:timers/promises';
  import { ConfigError, positiveInteger, runService, serviceVariables } from './index.js';
  const variables = { ...serviceVariables, LANES: positiveInteger({ desc: 'x' }), ROWS: positiveInteger({ desc: 'x' }) };
  await runService('app', variables, async ({ config }) => {
    const [word] = await once(process.stdin, 'data');
    if (String(word) === 'misconfigured') throw ConfigError.fromProblems(['LANES: more than ' + config.ROWS]);
    if (String(word) === 'fail') throw new Error('the disk is not there');
    if (String(word) === 'crash') setTimeout(() => { throw new Error('nobody foresaw it'); }, 50);
    if (String(word) === 'reject') setTimeout(() => void Promise.reject(new Error('nobody foresaw it')), 50);
    return {
      close: async () => {
        console.log('closing');
        await sleep(Number(process.env.CLOSE_MS));
        console.log('closed');
      },
    };
  });`;

interface Started {
  child: ChildProcess;
  /** Sends the app a word that decides how its start continues. */
  say: (word: string) => void;
  /** Status of a path of the management port; undefined while nothing answers there. */
  status: (path: string) => Promise<number | undefined>;
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function start(environment: NodeJS.ProcessEnv = {}): Promise<Started> {
  const port = await freePort();
  const child = spawn(process.execPath, [...process.execArgv, '--input-type=module', '-e', app], {
    cwd: import.meta.dirname,
    env: {
      ...process.env,
      LANES: '1',
      ROWS: '2',
      CLOSE_MS: '0',
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(port),
      ...environment,
    },
  });
  running.push(child);
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  return {
    child,
    say: (word) => child.stdin.write(word),
    status: async (path) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
      await response?.text();
      return response?.status;
    },
    ended: once(child, 'close').then(async ([code]) => ({
      code: code as number | null,
      stdout: await stdout,
      stderr: await stderr,
    })),
  };
}

const longWait = { timeout: 30_000, interval: 20 };
const until = ({ status }: Started, path: string, expected: number): Promise<void> =>
  vi.waitFor(async () => {
    expect(await status(path)).toBe(expected);
  }, longWait);

/** Whether the output has a stack trace, in a JSON log line or as plain text. */
const hasStack = (output: string): boolean => /(\n|\\n) {4}at /.test(output);

it('is alive and not ready while it starts, and ready when it has started', async () => {
  const service = await start();
  await until(service, '/health/live', 200);
  expect(await service.status('/health/ready')).toBe(503);
  expect(await service.status('/metrics')).toBe(200);
  service.say('go');
  await until(service, '/health/ready', 200);
}, 60_000);

it.each(['SIGTERM', 'SIGINT'] as const)(
  'stops on %s: not ready at once, the management port answers until the app has closed, exit code 0',
  async (signal) => {
    const service = await start({ CLOSE_MS: '1500' });
    service.say('go');
    await until(service, '/health/ready', 200);
    service.child.kill(signal);
    await until(service, '/health/ready', 503);
    expect(await service.status('/health/live')).toBe(200);
    // A second signal does not begin a second stop.
    service.child.kill(signal);
    const { code, stdout } = await service.ended;
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line.startsWith('clos'))).toEqual(['closing', 'closed']);
    expect(stdout).toContain(`stopping on ${signal}`);
  },
  60_000,
);

it('ends with code 0 when it is asked to stop while it starts', async () => {
  const service = await start();
  await until(service, '/health/live', 200);
  service.child.kill('SIGTERM');
  const { code, stdout } = await service.ended;
  expect([code, stdout.includes('closing')]).toEqual([0, false]);
}, 60_000);

it('ends with code 1 when a stop takes longer than STOP_TIMEOUT_MS', async () => {
  const service = await start({ CLOSE_MS: '60000', STOP_TIMEOUT_MS: '100' });
  service.say('go');
  await until(service, '/health/ready', 200);
  service.child.kill('SIGTERM');
  const { code, stdout } = await service.ended;
  expect([code, stdout.includes('closed')]).toEqual([1, false]);
}, 60_000);

it('names every bad variable at once, without a stack trace, and ends with code 1', async () => {
  const { ended } = await start({ LANES: 'many', ROWS: '' });
  const { code, stdout, stderr } = await ended;
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^Invalid configuration:\n {2}LANES: must be a whole number .*"many"\n {2}ROWS: is required/);
  expect(hasStack(stderr)).toBe(false);
}, 60_000);

it('says what to change when the start finds the configuration bad, without a stack trace', async () => {
  const service = await start();
  service.say('misconfigured');
  const { code, stdout, stderr } = await service.ended;
  expect([code, stderr]).toEqual([1, 'Invalid configuration:\n  LANES: more than 2\n']);
  expect(hasStack(stdout)).toBe(false);
}, 60_000);

it('logs why a start failed, with a stack trace, and ends with code 1', async () => {
  const service = await start();
  service.say('fail');
  const { code, stdout } = await service.ended;
  const line = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { level: unknown; err: { stack: string } };
  expect(code).toBe(1);
  expect(line).toMatchObject({ level: 'fatal', service: 'app', err: { message: 'the disk is not there' } });
  expect(hasStack(line.err.stack)).toBe(true);
}, 60_000);

it.each(['crash', 'reject'])(
  'logs an error that nobody handled and ends with code 1: %s',
  async (how) => {
    const service = await start();
    service.say(how);
    const { code, stdout } = await service.ended;
    expect(code).toBe(1);
    expect(stdout).toContain('nobody foresaw it');
    expect(stdout).not.toContain('closing');
  },
  60_000,
);

it('ends with code 1 when the management port is taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { ended } = await start({ MANAGEMENT_PORT: String((taken.address() as AddressInfo).port) });
  const { code, stdout } = await ended;
  taken.close();
  expect(code).toBe(1);
  expect(stdout).toContain('EADDRINUSE');
}, 60_000);
