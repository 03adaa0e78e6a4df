import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { mutants } from '@sluice/sdk-contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decode } from './queue/slot.js';
import { filesOf } from './storage/file-folder.spec-support.js';
import { filesStorage } from './storage/files.js';

const program = fileURLToPath(new URL('./tracking-app.spec-support.ts', import.meta.url));
const kills = 6;
const perLife = 100_000;

let folder = '';
let app: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-killed-'));
});
afterEach(() => {
  app?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** Numbers of the events in the store, and how often each is there. */
function stored(): Map<number, number> {
  const storage = filesStorage(filesOf(join(folder, 'sluice')));
  const names = (storage.getAllKeys() as string[]).filter((name) => name.startsWith('sluice.b.'));
  const counts = new Map<number, number>();
  for (const name of names) {
    for (const { texts } of decode(storage.getItem(name) as string | null).slot) {
      for (const one of texts) {
        const { at } = (JSON.parse(one) as { properties: { at: number } }).properties;
        counts.set(at, (counts.get(at) ?? 0) + 1);
      }
    }
  }
  return counts;
}

/** Kills apps in the midst of tracking, in turn. Returns what each of them promised. */
async function killed(kind: string, mutant = ''): Promise<number[][]> {
  const promised: number[][] = [];
  for (let life = 0; life < kills; life++) {
    const args = [...process.execArgv, program, folder, kind, String(life * perLife), mutant];
    app = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const { stdout } = app;
    if (!stdout) throw new Error('no output');
    const said = text(stdout);
    await once(stdout, 'readable');
    await sleep(50 + Math.random() * 100);
    app.kill('SIGKILL');
    promised.push((await said).split('\n').slice(0, -1).map(Number));
  }
  return promised;
}

/** Promised events that are not stored exactly once. */
const broken = (promised: readonly number[][], counts: ReadonlyMap<number, number>): number[] =>
  promised.flat().filter((at) => counts.get(at) !== 1);

it.each(['synchronous', 'asynchronous'])(
  'an app with a %s store that is killed in the midst of tracking has every promised event once',
  { timeout: 120_000 },
  async (kind) => {
    const promised = await killed(kind);
    const counts = stored();
    expect(promised.flat().length).toBeGreaterThan(kills * 5);
    expect(broken(promised, counts)).toEqual([]);
    expect([...counts.values()].filter((count) => count > 1)).toEqual([]);
    // A kill may leave only the event that was tracked last stored without a promise.
    const next = new Set(promised.map((numbers) => Math.max(...numbers) + 1));
    const known = new Set(promised.flat());
    expect([...counts.keys()].filter((at) => !known.has(at) && !next.has(at))).toEqual([]);
  },
);

it.each(mutants.filter((mutant) => mutant !== 'has new keys'))(
  'the test detects an app that %s',
  { timeout: 120_000 },
  async (mutant) => {
    expect(broken(await killed('synchronous', mutant), stored()).length).toBeGreaterThan(0);
  },
);
