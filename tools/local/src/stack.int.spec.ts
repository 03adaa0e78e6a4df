import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type LocalEntry } from './local-file.js';
import { type Programs } from './programs.js';
import { readLocalSettings } from './settings.js';
import { StackSupervisor } from './stack.js';
import { Terminal } from './terminal.js';

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}.mjs`, import.meta.url));
const service = fixture('service');
const programs: Programs = {
  operator: fixture('operator'),
  gateway: service,
  tracking: service,
  catalog: service,
  'push-interaction': service,
  console: service,
};

let dataDir: string;
let printed = '';
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'sluice-'));
});
afterAll(async () => {
  // A server that was killed may still be writing.
  await rm(dataDir, { recursive: true, maxRetries: 10, retryDelay: 100 });
});

function aStack(environment: NodeJS.ProcessEnv = {}): StackSupervisor {
  const anyPorts = { GATEWAY_PORT: '0', CONSOLE_PORT: '0', KAFKA_PORT: '0', CLICKHOUSE_PORT: '0' };
  const settings = readLocalSettings({ SLUICE_DATA_DIR: dataDir, ...anyPorts, ...environment });
  return new StackSupervisor(settings, programs, new Terminal((text) => (printed += text)));
}

async function localFile(): Promise<LocalEntry> {
  return JSON.parse(await readFile(join(dataDir, 'local.json'), 'utf8')) as LocalEntry;
}

test('the stack starts everything, keeps it running and stops it in order', { timeout: 60_000 }, async () => {
  const stack = aStack();
  const local = await stack.start();
  expect(await localFile()).toEqual(local);
  expect(local.pid).toBe(process.pid);
  expect(local.kafka.pid).toBeGreaterThan(1);
  expect((await fetch(`${local.clickhouse.url}/ping`)).status).toBe(200);
  const page = await (await fetch(local.shop.url)).text();
  expect(page).toContain(`src="${local.gateway.url}/sdk/0/snippet.js"`);
  expect(page).toContain(`data-api-key="${local.source.apiKey}"`);
  expect(page).not.toContain('{{');

  process.kill(local.tracking.pid, 'SIGKILL');
  const restarted = { ...local, tracking: { ...local.tracking, pid: expect.any(Number) as number } };
  await expect.poll(localFile, { timeout: 5_000 }).not.toEqual(local);
  expect(await localFile()).toEqual(restarted);
  expect(printed).toContain('tracking died (SIGKILL), restarting in 250 ms; log: ');
  const health = `${local.tracking.url}/health/ready`;
  await expect.poll(() => fetch(health).then(({ status }) => status, String), { timeout: 5_000 }).toBe(200);

  await stack.stop();
  const stoppedAt = async (name: string): Promise<number> => {
    const log = await readFile(join(dataDir, 'logs', `${name}.log`), 'utf8');
    return Number(/stopped at (\d+)/.exec(log)?.[1]);
  };
  expect(await stoppedAt('gateway')).toBeLessThan(await stoppedAt('tracking'));
  await expect(localFile()).rejects.toThrow('ENOENT');
  for (const url of [`${local.clickhouse.url}/ping`, local.shop.url]) await expect(fetch(url)).rejects.toThrow();
});

test('a later start finds the demo source again and uses the given servers', async () => {
  const storedSource: unknown = JSON.parse(await readFile(join(dataDir, 'demo-source.json'), 'utf8'));
  const kafkaBrokers = inject('kafkaBrokers');
  const url = inject('clickhouseUrl');
  const stack = aStack({ KAFKA_BROKERS: kafkaBrokers.join(','), CLICKHOUSE_URL: url });
  const local = await stack.start();

  expect(local.source).toEqual(storedSource);
  expect(local.kafka).toEqual({ brokers: kafkaBrokers, pid: null });
  expect(local.clickhouse).toEqual({ url, database: 'sluice', pid: null });
  await stack.stop();
});

test('a stopped start leaves nothing behind', async () => {
  const stack = aStack();
  const start = stack.start();
  await Promise.all([expect(start).rejects.toThrow(), stack.stop()]);

  await expect(localFile()).rejects.toThrow('ENOENT');
});
