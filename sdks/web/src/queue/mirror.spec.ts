import { setTimeout } from 'node:timers/promises';
import { newBatch } from '@sluice/sdk-core';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, it } from 'vitest';
import { createDatabase } from './database.js';
import { type FakeStorage, fakeStorage } from './fake-storage.spec-support.js';
import { Journal } from './journal.js';
import { WebQueue } from './web-queue.js';

globalThis.IDBKeyRange = IDBKeyRange;

const mebibyte = 1_048_576;
const perBatch = 20;
const text = 'x'.repeat(2_000);

const page = {
  owner: 'page-1',
  isLeaving: () => false,
  isSender: () => true,
  isOwned: () => () => false,
  wake: () => undefined,
};

function aQueue(storage: FakeStorage, factory: IDBFactory | undefined) {
  return new WebQueue(
    new Journal(storage),
    createDatabase(() => factory),
    page,
  );
}

/** Appends and seals batches. Returns their keys, oldest first. */
async function fill(queue: ReturnType<typeof aQueue>, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, (_, at) => `key-${at}`);
  for (const [at, key] of keys.entries()) {
    const origin = { key, host: 'https://sluice.test', sourceIdentifier: 'Source000001', kind: 'track' } as const;
    const batch = newBatch({ ...origin, created: at + 1 });
    for (let index = 0; index < perBatch; index++) {
      batch.count++;
      batch.bytes += text.length;
      await queue.append(batch, index, text);
    }
    await queue.seal({ ...batch, sealed: true });
    // Lets IndexedDB catch up.
    await setTimeout(5);
  }
  await setTimeout(200);
  return keys;
}

const mirrored = (storage: FakeStorage, key: string): number =>
  Object.keys(storage).filter((name) => name.startsWith(`sluice.m.${key}.`)).length;
const bytes = (storage: FakeStorage): number =>
  Object.keys(storage)
    .filter((name) => /^sluice\.[bm]\./.test(name))
    .reduce((sum, name) => sum + (storage.getItem(name)?.length ?? 0), 0);

it('localStorage mirrors the newest mebibyte, and IndexedDB has the rest', async () => {
  const storage = fakeStorage();
  const queue = aQueue(storage, new IDBFactory());
  const keys = await fill(queue, 60);
  const counts = keys.map((key) => mirrored(storage, key));
  expect(bytes(storage)).toBeGreaterThan(mebibyte - 4 * perBatch * text.length);
  expect(bytes(storage)).toBeLessThan(1.2 * mebibyte);
  // The oldest batches are not mirrored, the newest are.
  const first = counts.indexOf(perBatch);
  expect(counts).toEqual(keys.map((_, at) => (at < first ? 0 : perBatch)));
  expect(first).toBeGreaterThan(20);
  const read = await Promise.all(keys.map(async (key) => queue.read(key)));
  expect(read.map((texts) => texts?.length)).toEqual(keys.map(() => perBatch));
});

it('batches of one message leave the mirror whole: a long outage does not fill the localStorage of the site', async () => {
  const storage = fakeStorage();
  const queue = aQueue(storage, new IDBFactory());
  const origin = { host: 'https://sluice.test', sourceIdentifier: 'Source000001', kind: 'track' } as const;
  for (let at = 0; at < 2_000; at++) {
    const batch = { ...newBatch({ ...origin, key: `key-${at}`, created: at + 1 }), count: 1, bytes: 411 };
    await queue.append(batch, 0, 'x'.repeat(400));
    await queue.seal({ ...batch, sealed: true });
    if (at % 50 === 0) await setTimeout(1);
  }
  await expect.poll(() => bytes(storage), { timeout: 60_000 }).toBeLessThan(1.2 * mebibyte);
  expect([mirrored(storage, 'key-0'), mirrored(storage, 'key-1999')]).toEqual([0, 1]);
  expect((await queue.list()).length).toBe(2_000);
  expect(await queue.read('key-0')).toEqual(['x'.repeat(400)]);
}, 90_000);

it('the batches of an earlier page leave the mirror before those of this page', async () => {
  const [storage, factory] = [fakeStorage(), new IDBFactory()];
  await fill(aQueue(storage, factory), 25);
  const queue = aQueue(storage, factory);
  const origin = { key: 'new', host: 'https://sluice.test', sourceIdentifier: 'Source000001', kind: 'track' } as const;
  const batch = newBatch({ ...origin, created: 1_000 });
  for (let index = 0; index < 100; index++) {
    batch.count++;
    batch.bytes += text.length;
    await queue.append(batch, index, text);
    await setTimeout(1);
  }
  await setTimeout(200);
  expect([mirrored(storage, 'new'), mirrored(storage, 'key-0')]).toEqual([100, 0]);
});

it('without IndexedDB nothing leaves localStorage, and what is beyond the limit is refused', async () => {
  const storage = fakeStorage();
  const queue = aQueue(storage, undefined);
  const origin = { host: 'https://sluice.test', sourceIdentifier: 'Source000001', kind: 'track' } as const;
  const taken: number[] = [];
  for (let at = 0; at < 1_000; at++) {
    const batch = { ...newBatch({ ...origin, key: `key-${at}`, created: at + 1 }), count: 1 };
    try {
      if (await queue.append(batch, 0, text)) taken.push(at);
    } catch {
      break;
    }
    // The first call learns that the database is refused.
    await setTimeout(0);
  }
  expect(bytes(storage)).toBeGreaterThan(mebibyte - text.length);
  expect(bytes(storage)).toBeLessThan(mebibyte + 3 * text.length);
  expect(taken.filter((at) => mirrored(storage, `key-${at}`) === 0)).toEqual([]);
});
