import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { local, operator, post, select, type SourceCredentials } from '../stack.js';
import { chartJob, composeJob, findHelm, type ShippedJob } from './shipped-jobs.js';

// The commands of docs/people.md#erasing-a-person, as they are shipped: no test names a process here. Deleting is as
// far as they go in a short time; tests/e2e/src/faults/ten-erasures.faults.ts waits until they are verified.

interface ErasureReport {
  request: string;
  state: string;
  problem: string | null;
}

const operatorProgram = fileURLToPath(new URL('../../../../apps/operator/dist/main.js', import.meta.url));
const helm = findHelm();
let folder: string;
let source: SourceCredentials;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-jobs-'));
  writeFileSync(join(folder, 'privacy-key'), local().privacyKey, { mode: 0o600 });
  source = await operator<SourceCredentials>('sources', 'create', '--name', 'Erasure', '--type', 'tracking-api');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The job of `npm start`: it finds all servers and processes by itself. */
const localJob = (): ShippedJob => ({
  command: ['node', 'main.mjs', 'privacy', 'run'],
  environment: { SLUICE_DATA_DIR: inject('dataDir') },
});

/** The job with addresses, accounts and keys of this machine in place of those of its network. Nothing else changes. */
function onThisMachine({ command, environment }: ShippedJob): ShippedJob {
  const { kafka, clickhouse, gateway, privacyKey, ...consumers } = local();
  const processes: [name: string, url: string][] = [
    ['gateway', gateway.managementUrl],
    ['tracking', consumers.tracking.url],
    ['catalog', consumers.catalog.url],
    ['push-interaction', consumers.pushInteraction.url],
  ];
  const places = [
    ...processes.flatMap(([name, url]) =>
      [`${name}:9000`, `sluice-${name}-pods:9000`].map((host) => [host, readHost(url)]),
    ),
    ['kafka:9092', kafka.brokers.join(',')],
    ['http://clickhouse:8123', clickhouse.url],
    ['secret people', privacyKey],
    ['/privacy/privacy-key', join(folder, 'privacy-key')],
    ['main.mjs', operatorProgram],
  ];
  const here = (text: string): string =>
    places.reduce((changed, [shippedPath = '', place = '']) => changed.replaceAll(shippedPath, place), text);
  const account = { CLICKHOUSE_DATABASE: clickhouse.database, CLICKHOUSE_USER: 'default', CLICKHOUSE_PASSWORD: '' };
  return {
    command: command.map(here),
    environment: {
      ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, here(value)])),
      ...account,
    },
  };
}

const readHost = (url: string): string => new URL(url).host;

/** Starts a job without any other variable. It is ended with all that it started. */
function start({ command: [program = '', ...args], environment }: ShippedJob): {
  end: () => void;
  output: () => string;
} {
  const env = { PATH: process.env['PATH'], SLUICE_DATA_DIR: '/no/such/folder', ...environment };
  const job = spawn(program, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [job.stdout, job.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return {
    end: () => {
      if (job.pid !== undefined && job.exitCode === null) process.kill(-job.pid, 'SIGKILL');
    },
    output: () => output,
  };
}

const readEvents = (userId: string): Promise<unknown[]> =>
  select('SELECT count() AS n FROM events WHERE user_id = {userId:String}', { userId });

/** Asks for the erasure of a person who has an event. */
async function ask(userId: string): Promise<string> {
  await eventually(async () => expect((await post('track', { userId, event: 'e' }, { source })).status).toBe(200));
  await eventually(async () => expect(await readEvents(userId)).not.toEqual([{ n: 0 }]));
  const person = ['--source', source.sourceIdentifier, '--user', userId, '--by', 'ticket-1'];
  const { erasures } = await operator<{ erasures: ErasureReport[] }>('privacy', 'erase', ...person, '--yes');
  return erasures[0]?.request ?? '';
}

async function expectDeletion(job: ShippedJob): Promise<void> {
  const userId = randomUUID();
  const request = await ask(userId);
  const run = start(job);
  try {
    await eventually(async () => {
      const [erasure] = await operator<ErasureReport[]>('privacy', 'status', request);
      expect(erasure?.state, run.output()).toMatch(/^(deleting|verified|waiting)$/);
    }, 90_000);
    await eventually(async () => expect(await readEvents(userId)).toEqual([{ n: 0 }]));
  } finally {
    run.end();
  }
}

it('an erasure waits for no process of npm start, and begins the deletion', () =>
  expectDeletion({ ...onThisMachine(localJob()), environment: localJob().environment }));

it('the service of docker-compose.yml carries it on', () => expectDeletion(onThisMachine(composeJob())));

it.skipIf(helm === undefined)('the job of the rendered chart carries it on (skipped where Helm is not installed)', () =>
  expectDeletion(onThisMachine(chartJob(helm ?? ''))),
);
