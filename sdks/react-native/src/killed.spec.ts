import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
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

it.each(['synchronous', 'asynchronous'])(
  'an app with a %s store that is killed in the midst of tracking has every promised event once',
  { timeout: 120_000 },
  async (kind) => {
    const promised: number[] = [];
    for (let life = 0; life < kills; life++) {
      const args = [...process.execArgv, program, folder, kind, String(life * perLife)];
      app = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const { stdout } = app;
      if (!stdout) throw new Error('no output');
      const said = text(stdout);
      await once(stdout, 'readable');
      await sleep(Math.random() * 150);
      app.kill('SIGKILL');
      promised.push(...(await said).split('\n').slice(0, -1).map(Number));
    }
    const counts = stored();
    expect(promised.length).toBeGreaterThan(kills * 5);
    expect(promised.filter((at) => counts.get(at) !== 1)).toEqual([]);
    expect([...counts.values()].filter((count) => count > 1)).toEqual([]);
  },
);
