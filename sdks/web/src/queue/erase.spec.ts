import { newBatch } from '@sluice/sdk-core';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, it } from 'vitest';
import { createDatabase } from './database.js';
import { fakeStorage } from './fake-storage.spec-support.js';
import { Journal } from './journal.js';
import { awaitRequest } from './tables.js';
import { type Page } from './page.js';
import { WebQueue } from './web-queue.js';

globalThis.IDBKeyRange = IDBKeyRange;

const page: Page = {
  owner: 'page',
  isLeaving: () => false,
  isSender: () => true,
  isOwned: () => () => true,
  wake: () => undefined,
};

it.each(['both stores', 'IndexedDB alone'])('what still waits to be written is erased, too: %s', async (stores) => {
  const factory = new IDBFactory();
  const database = createDatabase(() => factory);
  const storage = fakeStorage();
  const queue = new WebQueue(stores === 'both stores' ? new Journal(storage) : undefined, database, page);
  await queue.list();
  const origin = { host: 'https://sluice.test', sourceIdentifier: 'Source000001', kind: 'track', created: 1 } as const;
  const other = newBatch({ ...origin, sourceIdentifier: 'Source000002', key: 'other' });
  const queueOfOther = new WebQueue(stores === 'both stores' ? new Journal(storage) : undefined, database, page);
  await queueOfOther.append(other, 0, '{}');
  await queueOfOther.list();
  // A text whose batch could not be written.
  if (stores === 'both stores') storage.setItem('sluice.m.half.0', '{}');
  // More than one group of changes, of which some are under way when the rest is erased.
  const appends = Array.from({ length: 600 }, (_, at) =>
    Promise.resolve(queue.append(newBatch({ ...origin, key: `key-${at}` }), 0, `{"at":${at}}`)).catch(() => false),
  );
  expect(await queue.clear('Source000001')).toBe(600);
  await Promise.all(appends);
  await queue.list();
  const left = await database.run((table) =>
    Promise.all([awaitRequest(table('heads').getAll()), awaitRequest(table('messages').getAll())]),
  );
  // The batch of another source stays.
  expect(left).toMatchObject([[{ key: 'other' }], [[0, '{}']]]);
  const kept = stores === 'both stores' ? ['sluice.b.other', 'sluice.m.other.0'] : [];
  expect(Object.keys(storage)).toEqual(kept);
  expect(await queue.clear('Source000002')).toBe(1);
});
