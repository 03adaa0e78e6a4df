import { closeSync, fstatSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Disk } from './disk.js';
import { Syncing } from './syncing.js';

let folder: string;
let timers: (() => void)[];
/** Functions that end the syncs under way. */
let syncs: (() => void)[];
let syncing: Syncing;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-syncing-'));
  [timers, syncs] = [[], []];
  const disk: Disk = {
    write: () => 0,
    sync: () =>
      new Promise((resolve) => {
        syncs.push(resolve);
      }),
    syncFolder: () => Promise.resolve(),
  };
  const later = (_ms: number, work: () => void) => {
    timers.push(work);
    return () => undefined;
  };
  syncing = new Syncing(disk, { now: () => 0, monotonic: () => 0, later }, folder);
});
afterEach(() => rmSync(folder, { recursive: true }));

const isOpen = (fd: number): boolean => {
  try {
    fstatSync(fd);
    return true;
  } catch {
    return false;
  }
};

it('a slow sync never closes a file that got the number of a closed one', async () => {
  const first = openSync(join(folder, 'first'), 'a');
  const file = syncing.created(first);
  syncing.closed(file);
  timers.shift()?.();
  syncing.appended();
  timers.shift()?.();
  expect(syncs).toHaveLength(2);
  syncs.shift()?.();
  await setImmediate();
  expect(isOpen(first)).toBe(false);
  const second = openSync(join(folder, 'second'), 'a');
  expect(second).toBe(first);
  syncing.created(second);
  syncs.shift()?.();
  await setImmediate();
  syncing.closed(file, true);
  timers.shift()?.();
  syncs.shift()?.();
  await setImmediate();
  expect(isOpen(second)).toBe(true);
  closeSync(second);
});

it('every message is synced within a second, also in a file that stays open', async () => {
  const fd = openSync(join(folder, 'open'), 'a');
  syncing.created(fd);
  timers.shift()?.();
  syncs.shift()?.();
  await setImmediate();
  expect([isOpen(fd), timers.length, syncs.length]).toEqual([true, 0, 0]);
  syncing.appended();
  expect(timers).toHaveLength(1);
  timers.shift()?.();
  expect(syncs).toHaveLength(1);
  closeSync(fd);
});
