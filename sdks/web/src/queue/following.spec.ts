import { setImmediate } from 'node:timers/promises';
import { type Batch, newBatch } from '@sluice/sdk-core';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDatabase, type Database, headsIn } from './database.js';
import { fakeStorage } from './fake-storage.spec-support.js';
import { Journal } from './journal.js';
import { awaitRequest, type Tables } from './tables.js';
import { WebQueue } from './web-queue.js';

globalThis.IDBKeyRange = IDBKeyRange;
// The stand-in for IndexedDB takes its time on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const batch = (key: string, count: number): Batch => ({
  ...newBatch({ key, host: 'https://sluice.test', sourceIdentifier: 'Source000001', kind: 'track', created: 1 }),
  count,
});

const maxBytes = 1_000;

let isFull: boolean;
let isLeaving: boolean;
let refused: number;
/** Operations on IndexedDB, and the transactions in which they were made. */
let log: string[];
let database: Database;

/** IndexedDB that refuses messages while it is full, except small ones. */
function watched(): Database {
  const factory = new IDBFactory();
  const real = createDatabase(() => factory);
  let transactions = 0;
  const run: Database['run'] = (work, isSpare) =>
    real.run((table) => {
      const number = ++transactions;
      const noting: Tables = (name) => {
        const store = table(name);
        const note = (operation: string): void => void log.push(`${number} ${operation} ${name}`);
        return {
          get: (key) => (note('get'), store.get(key)),
          getAll: (range) => (note('getAll'), store.getAll(range)),
          delete: (key) => (note('delete'), store.delete(key)),
          put: (value, key) => {
            if (isFull && name === 'messages' && JSON.stringify(value).length > maxBytes) {
              refused++;
              throw new DOMException('', 'QuotaExceededError');
            }
            note('put');
            return store.put(value, key);
          },
        };
      };
      return work(noting);
    }, isSpare);
  return { ...real, run };
}

const textsIn = (from: Database) =>
  from.run(async (table) => (await awaitRequest(table('messages').getAll())).map(([, text]) => text));

beforeEach(() => {
  [isFull, isLeaving, refused, log, database] = [false, false, 0, [], watched()];
});
afterEach(() => {
  vi.useRealTimers();
});

function aQueue(storage = fakeStorage()) {
  const page = { owner: 'page', isLeaving: () => isLeaving, isSender: () => true, isOwned: () => () => true };
  return new WebQueue(new Journal(storage), database, { ...page, wake: () => undefined });
}

/** Lets IndexedDB work until it has these messages. */
async function has(...texts: string[]): Promise<void> {
  for (let turn = 0; turn < 1_000; turn++) {
    await setImmediate();
    if ((await textsIn(database)).join() === texts.join()) return;
  }
  expect(await textsIn(database)).toEqual(texts);
}

it('an event is put into IndexedDB without a look at what is there: no slow page keeps the others waiting', async () => {
  const queue = aQueue();
  for (const at of [0, 1, 2]) expect(queue.append(batch('new', at + 1), at, `${at}`)).toBe(true);
  await has('0', '1', '2');
  const [first, ...others] = log.filter((line) => !line.includes('getAll'));
  expect([first?.split(' ').slice(1), others.length]).toEqual([['put', 'heads'], 3]);
  expect(new Set(others)).toEqual(new Set([first?.replace('heads', 'messages')]));
});

it('the head of a batch with a derived key is not overwritten: another page may have tried it already', async () => {
  const tried = { ...batch('old.2', 1), tries: 3 };
  await database.run((table) => awaitRequest(table('heads').put(tried, 'old.2')));
  const queue = aQueue();
  void queue.append(batch('old.2', 1), 0, '0');
  void queue.append(batch('new', 1), 0, '1');
  await has('1');
  expect((await headsIn(database)).map(({ tries }) => tries)).toEqual([0, 3]);
});

it('events that are added do not wait in the transaction of a change, which waits for its page', async () => {
  const queue = aQueue();
  void queue.append(batch('one', 1), 0, '1');
  await has('1');
  log = [];
  const noted = queue.update(batch('one', 1), 1);
  void queue.append(batch('two', 1), 0, '2');
  await noted;
  await has('1', '2');
  const numberOf = (operation: string) => Number(log.find((line) => line.endsWith(operation))?.split(' ')[0]);
  expect(numberOf('put messages')).toBe(numberOf('get heads') + 1);
});

it('all that waits is begun before the page ends', async () => {
  const queue = aQueue();
  void queue.append(batch('first', 1), 0, '0');
  await has('0');
  log = [];
  const noted = queue.update(batch('first', 1), 1);
  for (let at = 0; at < 250; at++) void queue.append(batch(`key-${at}`, 1), 0, `${at}`);
  isLeaving = true;
  void queue.append(batch('last', 1), 0, 'last');
  // Microtasks only: a page that ends has no other turns.
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  expect(log.filter((line) => line.endsWith('put messages')).length).toBe(251);
  await noted;
});

it('what IndexedDB had no room for is copied from localStorage when there is room, though nothing else happens', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const queue = aQueue();
  isFull = true;
  const [one, other] = ['1'.repeat(maxBytes), '2'.repeat(maxBytes)];
  expect([queue.append(batch('full', 1), 0, one), queue.append(batch('full', 2), 1, other)]).toEqual([true, true]);
  // Refused twice: both messages together, then the first alone.
  while (refused < 2) await setImmediate();
  await setImmediate();
  isFull = false;
  vi.advanceTimersByTime(5_000);
  await has(one, other);
});

it('what a page could write to localStorage alone, because it ended, is copied by the next page that lists', async () => {
  const storage = fakeStorage();
  const page = aQueue(storage);
  void page.append(batch('last', 1), 0, '0');
  await has('0');
  isLeaving = true;
  database.letGo(true);
  expect(page.append(batch('last', 2), 1, '1')).toBe(true);
  expect(page.seal({ ...batch('last', 2), sealed: true })).toBe(2);
  isLeaving = false;
  database.letGo(false);
  // The batch is not sent yet: a browser that is killed now keeps both.
  expect((await aQueue(storage).list()).map(({ count }) => count)).toEqual([2]);
  await has('0', '1');
});

it('a batch of which IndexedDB lacks a message is whole as soon as IndexedDB takes a later one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const queue = aQueue();
  isFull = true;
  const first = '1'.repeat(maxBytes);
  void queue.append(batch('full', 1), 0, first);
  while (refused < 1) await setImmediate();
  await setImmediate();
  isFull = false;
  void queue.append(batch('full', 2), 1, '2');
  // No time passes: a browser that is killed now keeps both.
  await has(first, '2');
});

it('what IndexedDB has no room for does not leave localStorage, however much that is', async () => {
  isFull = true;
  const storage = fakeStorage();
  const queue = aQueue(storage);
  for (let at = 0; at < 42; at++) expect(queue.append(batch(`key-${at}`, 1), 0, 'x'.repeat(30_000))).toBe(true);
  // Once something has room, the mirror is trimmed.
  void queue.append(batch('small', 1), 0, 'small');
  await has('small');
  for (let turn = 0; turn < 200; turn++) await setImmediate();
  expect(Object.keys(storage).filter((name) => name.startsWith('sluice.m.key')).length).toBe(42);
});
