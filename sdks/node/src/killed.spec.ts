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
import { mutants } from '@sluice/sdk-contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClient } from './index.js';
import { type Work } from './tracking-work.spec-support.js';

/** Keeps messages as the service does: once for each key, position and bytes of a message. */
let stored: Map<string, string>;
let isDown: boolean;
/** True if every third answer is lost after storing. */
let losesAnswers: boolean;
let requests: number;
let server: Server;
let folder: string;
const processes: ChildProcess[] = [];

beforeEach(async () => {
  stored = new Map();
  isDown = false;
  requests = 0;
  losesAnswers = true;
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
        // Stored, but the client does not hear of it.
        if (losesAnswers && ++requests % 3 === 0) return answer.destroy();
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

function start(burst: number, mutant?: string): ChildProcess {
  const work: Work = { options: options(), name: 'killed', tookFile: join(folder, 'took'), burst, mutant };
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
  await expect.poll(() => took().length, { timeout: 60_000, interval: 10 }).toBeGreaterThan(before + by);
}

interface Outcome {
  /** Messages that `track` took and the service does not have. */
  readonly missing: string[];
  readonly doubled: number;
  /** Messages that the service has and nobody noted: those whose process was killed between `track` and the note. */
  readonly unnoted: string[];
}

const counts = (): Outcome => {
  const names = new Set(stored.values());
  const noted = new Set(took());
  return {
    missing: [...noted].filter((name) => !names.has(name)),
    doubled: stored.size - names.size,
    unnoted: [...names].filter((name) => !noted.has(name)),
  };
};

/** Sends what killed processes left. */
async function outcome(): Promise<Outcome> {
  losesAnswers = false;
  const client = createClient(options());
  await expect.poll(async () => (await client.flush()).left, { timeout: 60_000 }).toBe(0);
  await client.close();
  return counts();
}

/** Kills processes in the midst of their work, in turn. */
async function killed(kills: number, burst: number, mutant?: string): Promise<void> {
  for (let turn = 0; turn < kills; turn++) {
    const child = start(burst, mutant);
    await grown(burst);
    await sleep(Math.random() * 60);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

it.each([1, 7, 150])(
  'processes killed in bursts of %i lose and double nothing, and each kill takes at most one note',
  async (burst) => {
    const kills = 5;
    await killed(kills, burst);
    const { missing, doubled, unnoted } = await outcome();
    expect({ missing, doubled }).toEqual({ missing: [], doubled: 0 });
    // The message after the last note of its process, and no other.
    const last = new Map(took().map((name) => name.split(' ') as [string, string]));
    for (const [process = '', at] of unnoted.map((name) => name.split(' ')))
      expect(Number(at)).toBe(Number(last.get(process)) + 1);
    expect(unnoted.length).toBeLessThanOrEqual(kills);
  },
  120_000,
);

it.each(mutants)(
  'a client that %s is found out',
  async (mutant) => {
    // A kill must meet a batch that is on its way, which is a matter of luck.
    let found = 0;
    for (let round = 0; round < 30 && found === 0; round++) {
      await killed(4, 40, mutant);
      const { missing, doubled } = await outcome();
      found = missing.length + doubled;
    }
    expect(found).toBeGreaterThan(0);
  },
  240_000,
);

it('three processes share a directory; two are killed while the service is down', async () => {
  const children = [start(3), start(40), start(11)];
  await grown(200);
  isDown = true;
  await grown(200);
  for (const child of children.slice(0, 2)) child.kill('SIGKILL');
  await sleep(100);
  isDown = false;
  children[2]?.kill('SIGTERM');
  await once(children[2] ?? server, 'exit');
  expect(await outcome()).toMatchObject({ missing: [], doubled: 0 });
}, 120_000);
