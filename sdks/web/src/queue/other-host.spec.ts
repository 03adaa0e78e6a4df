import { createCore, type HttpAnswer, type SluiceError } from '@sluice/sdk-core';
import { expect, it, vi } from 'vitest';
import { pageClock } from '../page/page-clock.js';
import { uuid } from '../page/uuid.js';
import { createDatabase } from './database.js';
import { type FakeStorage, fakeStorage } from './fake-storage.spec-support.js';
import { Journal } from './journal.js';
import { type Head } from './stored.js';
import { WebQueue } from './web-queue.js';

const [oldHost, newHost] = ['https://old.test', 'https://new.test'];
const taken: HttpAnswer = { status: 200, body: '{"status":"QUEUED"}', header: () => null };

/** A page in a browser without IndexedDB. Without `isOnline` its requests have no answer, and are not sent. */
function aPage(storage: Storage, host: string, { isOnline = true, maxAge = 86_400_000 } = {}) {
  const sent: string[] = [];
  const reports: SluiceError[] = [];
  const owner = uuid();
  const page = {
    owner,
    isLeaving: () => false,
    isSender: () => isOnline,
    isOwned: () => (head: Pick<Head, 'owner'>) => head.owner === owner,
    wake: () => undefined,
  };
  const client = createCore(
    {
      ...{ credentials: { apiKey: 'key', sourceIdentifier: 'Source000001' }, host, flushInterval: 60_000, maxAge },
      errorHandler: (error) => reports.push(error),
    },
    {
      ...{ sdk: { name: 'sluice-test', version: '1.2.3' }, clock: pageClock, random: { fraction: () => 0, uuid } },
      queue: new WebQueue(
        new Journal(storage),
        createDatabase(() => undefined),
        page,
      ),
      transport: {
        send: ({ url, body = '' }) => {
          const { list } = JSON.parse(body) as { list: { event: string }[] };
          if (isOnline) sent.push(...list.map(({ event }) => `${event} to ${new URL(url).origin}`));
          return { answer: isOnline ? Promise.resolve(taken) : Promise.reject(new Error()), abort: () => undefined };
        },
      },
      lifecycle: { subscribe: () => () => undefined, isSender: () => isOnline },
    },
  );
  return { client, sent, reports };
}

/** A browser with events a and b, of a page of the old host that was killed before it sent them. */
function leftWith(isFull?: () => boolean): FakeStorage {
  const killed = fakeStorage();
  const { client } = aPage(killed, oldHost, { isOnline: false });
  for (const event of ['a', 'b']) client.track(event);
  return Object.assign(fakeStorage(isFull), killed);
}

const batchesIn = (storage: Storage): string[] => Object.keys(storage).filter((name) => /^sluice\.[bm]\./.test(name));

it('what waits goes to the new host', async () => {
  const storage = leftWith();
  const { client, sent, reports } = aPage(storage, newHost);
  client.track('c');
  expect(await client.flush()).toEqual({ sent: 3, left: 0 });
  expect(sent.sort()).toEqual(['a', 'b', 'c'].map((event) => `${event} to ${newHost}`));
  expect(reports).toEqual([]);
  expect(batchesIn(storage)).toEqual([]);
});

it('what waits is counted', async () => {
  const { client } = aPage(leftWith(), newHost, { isOnline: false });
  client.track('c');
  expect(await client.flush()).toEqual({ sent: 0, left: 3 });
});

it('what is too old for the new host is given up and reported', async () => {
  const storage = leftWith();
  const { client, reports } = aPage(storage, newHost, { isOnline: false, maxAge: 0 });
  await client.flush();
  await vi.waitFor(() => {
    expect(reports).toMatchObject([{ code: 'expired', count: 2 }]);
  }, 30_000);
  expect(batchesIn(storage)).toEqual([]);
});

it('what finds no room stays for the old host', async () => {
  let isFull = false;
  const storage = leftWith(() => isFull);
  isFull = true;
  const { client, sent } = aPage(storage, newHost);
  await client.flush();
  expect(sent.sort()).toEqual([`a to ${oldHost}`, `b to ${oldHost}`]);
  expect(batchesIn(storage)).toEqual([]);
});

it('a tab that is killed between any two writes of the move sends nothing twice', async () => {
  for (let writes = 0, isKilled = true; isKilled; writes++) {
    const storage = leftWith();
    let left = writes;
    const change = (name: 'setItem' | 'removeItem', args: [string, string]): void => {
      if (left-- > 0) storage[name](...args);
    };
    const dying = new Proxy(storage, {
      get: (target, name) =>
        name === 'setItem' || name === 'removeItem'
          ? (...args: [string, string]) => {
              change(name, args);
            }
          : (Reflect.get(target, name) as unknown),
    });
    const journal = new Journal(dying);
    const stored = journal.load(journal.batches()[0]?.key ?? '');
    if (!stored) throw new Error('no batch');
    journal.move(stored.batch.key, [
      {
        ...stored,
        batch: { ...stored.batch, ...{ host: newHost, sealed: true, count: 2, key: `${stored.batch.key}.0` } },
      },
    ]);
    isKilled = left < 0;
    const { client, sent } = aPage(storage, newHost);
    await client.flush();
    expect([...sent].sort()).toEqual([`a to ${newHost}`, `b to ${newHost}`]);
    expect(batchesIn(storage).filter((name) => name.startsWith('sluice.b.'))).toEqual([]);
  }
});
