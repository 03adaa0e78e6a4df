import { expect, it } from 'vitest';
import { fakeStorage } from './fake-storage.spec-support.js';
import { createKillNote } from './kill-note.js';

const source = 'Source000001';
/** A page; `alive` are the owners that hold their locks. */
const aPage = (id: string, alive: readonly string[] = []) => ({
  owner: `sluice.${source}.${id}`,
  isOwned:
    () =>
    ({ owner = '' }) =>
      alive.includes(owner),
});

it('the next page counts what a page had only in memory, once, though the store is full', async () => {
  let isFull = false;
  const storage = fakeStorage(() => isFull);
  const killed = createKillNote(storage, source, aPage('one'));
  killed.prepare();
  isFull = true;
  killed.write(12_345);
  const next = createKillNote(storage, source, aPage('two'));
  expect([await next.lostBefore(), await next.lostBefore(), storage.length]).toEqual([12_345, 0, 0]);
});

it('pages that live, and those of other sources, are not counted', async () => {
  const storage = fakeStorage();
  createKillNote(storage, source, aPage('one')).write(3);
  createKillNote(storage, 'Other0000000', { ...aPage('x'), owner: 'sluice.Other0000000.x' }).write(5);
  const next = createKillNote(storage, source, aPage('two', [aPage('one').owner]));
  expect([await next.lostBefore(), storage.length]).toEqual([0, 2]);
});

it('a page that ends normally leaves no note behind', () => {
  const storage = fakeStorage();
  const note = createKillNote(storage, source, aPage('one'));
  note.prepare();
  note.removeIfEmpty();
  expect(storage.length).toBe(0);
});
