import { serviceSourceTag } from '@sluice/sdk-core';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDatabase, type Database, headsIn } from '../queue/database.js';
import { awaitRequest } from '../queue/tables.js';
import { remember } from './worker-memory.js';
import { type WorkerScope } from './worker-scope.js';
import { startWorker } from './worker.js';

globalThis.IDBKeyRange = IDBKeyRange;

const memory = {
  host: 'https://sluice.test',
  apiKey: 'key',
  sourceIdentifier: 'Source000001',
  deviceId: 'device-1',
  anonymousId: 'anonymous-1',
  userId: 'user-1',
};

const payload = {
  source: serviceSourceTag,
  id: 'token-1',
  title: 'Sale',
  body: 'Today',
  action: 'https://shop.test/sale',
  actions: JSON.stringify([
    { title: 'Lamps', action: '/lamps' },
    { title: 'Chairs', action: 'https://shop.test/chairs' },
    { title: 'Tables', action: '/tables' },
  ]),
};

type Listener = (event: object) => void;

/** Calls in the order in which they were made. */
let log: string[];
let bodies: { list: Record<string, unknown>[] }[];
let shown: { title: string; options: NotificationOptions }[];
let isRefused: boolean;
let isOffline: boolean;
let listeners: Map<string, Listener>;

beforeEach(async () => {
  [log, bodies, shown, isRefused, isOffline] = [[], [], [], false, false];
  listeners = new Map<string, Listener>();
  vi.stubGlobal('indexedDB', new IDBFactory());
  vi.stubGlobal('Notification', { maxActions: 3 });
  vi.stubGlobal('fetch', (url: string, { method, body }: { method: string; body?: string }) => {
    log.push(`${method} ${new URL(url).pathname}${new URL(url).search}`);
    if (body !== undefined) bodies.push(JSON.parse(body) as (typeof bodies)[0]);
    return isOffline ? Promise.reject(new TypeError('offline')) : Promise.resolve(Response.json({ status: 'QUEUED' }));
  });
  const scope = {
    location: { href: 'https://shop.test/worker.js' },
    registration: {
      showNotification: (title: string, options: NotificationOptions) => {
        if (isRefused) return Promise.reject(new TypeError('no permission'));
        shown.push({ title, options });
        return Promise.resolve();
      },
      pushManager: { subscribe: () => Promise.resolve({ toJSON: () => ({ endpoint: 'https://push.test/new' }) }) },
    },
    clients: {
      matchAll: () => Promise.resolve([]),
      openWindow: (url: string) => {
        log.push(`open ${url}`);
        return Promise.resolve();
      },
    },
    addEventListener: (type: string, listener: Listener) => listeners.set(type, listener),
  };
  startWorker(scope as unknown as WorkerScope);
  await remember(database().run, memory);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const database = (): Database => createDatabase(() => indexedDB);

/** Dispatches an event to the worker. Resolves with true if the worker handled it. */
async function happen(type: string, event: object): Promise<boolean> {
  const works: Promise<unknown>[] = [];
  listeners.get(type)?.({ ...event, waitUntil: (work: Promise<unknown>) => works.push(work) });
  await Promise.all(works);
  return works.length > 0;
}

const push = (data: unknown): Promise<boolean> =>
  happen('push', { data: { text: () => (typeof data === 'string' ? data : JSON.stringify(data)) } });

const aShown = (close: () => void = () => undefined) => ({ data: shown[0]?.options.data as unknown, close });
const events = () => bodies.flatMap(({ list }) => list.map(({ event, properties }) => [event, properties]));
const left = () => headsIn(database());

it('a message is shown with two buttons, and reported as delivered by event and callback', async () => {
  await push(payload);
  expect(shown).toMatchObject([
    {
      title: 'Sale',
      options: { body: 'Today', tag: 'token-1', actions: [{ action: '1', title: 'Lamps' }, { action: '2' }] },
    },
  ]);
  expect(events()).toEqual([['bb_notification_delivered', { id: 'token-1' }]]);
  expect([...log].sort()).toEqual([
    'GET /api/tracker/general/delivered?token=token-1',
    'POST /api/tracker/sdk/Source000001/trackBatch',
  ]);
  expect(bodies[0]?.list[0]).toMatchObject({
    userId: 'user-1',
    context: { sdk: { device: 'device-1', seq: expect.any(Number) as unknown } },
  });
  expect(await left()).toEqual([]);
});

it('a message inside `data` is one of the service, too', async () => {
  expect(await push({ from: '1', data: payload })).toBe(true);
  expect(shown).toHaveLength(1);
});

it('a message that cannot be shown is reported as failed, with the reason', async () => {
  isRefused = true;
  await push(payload);
  expect(events()).toEqual([['bb_notification_failed', { id: 'token-1', reason: 'TypeError: no permission' }]]);
  expect(log).toContain('GET /api/tracker/general/failed?token=token-1');
});

it.each(['', 'no JSON', '[]', 'null', { title: 'of someone else' }, { ...payload, source: 'another' }])(
  'a message of someone else is left alone: %j',
  async (data) => {
    expect(await push(data)).toBe(false);
  },
);

it('without the consent of a page nothing is shown or reported', async () => {
  await database().run((table) => awaitRequest(table('values').delete('worker')));
  await push(payload);
  expect([shown, log]).toEqual([[], []]);
});

it('a tap opens its target first, is then reported, and does not count as closed', async () => {
  await push(payload);
  [log, bodies] = [[], []];
  const notification = aShown(() => void happen('notificationclose', { notification }));
  await happen('notificationclick', { notification, action: '2' });
  expect(log[0]).toBe('open https://shop.test/chairs');
  expect(log).toContain('GET /api/tracker/general/click?token=token-1&url=https%3A%2F%2Fshop.test%2Fchairs&button=2');
  expect(events()).toEqual([
    ['bb_notification_clicked', { id: 'token-1', actionId: '2', url: 'https://shop.test/chairs' }],
  ]);
});

it('a notification that is dismissed is reported as closed', async () => {
  await push(payload);
  bodies = [];
  await happen('notificationclose', { notification: aShown() });
  expect(events()).toEqual([['bb_notification_closed', { id: 'token-1' }]]);
});

it('a notification of someone else is left alone', async () => {
  const notification = { data: { theirs: true }, close: () => undefined };
  expect(await happen('notificationclick', { notification, action: '' })).toBe(false);
  expect(await happen('notificationclose', { notification })).toBe(false);
});

it('an event that could not be sent waits in the queue of the pages, in doubt, and is sent with the next', async () => {
  // Shortens the waits between the tries of the callback, but not the timeout of the database.
  vi.spyOn(Math, 'random').mockReturnValue(0.9);
  const wait = setTimeout;
  vi.stubGlobal('setTimeout', (work: () => void, ms: number) => (ms > 5_000 ? setImmediate(work) : wait(work, ms)));
  isOffline = true;
  await push(payload);
  expect(await left()).toMatchObject([{ sealed: true, doubts: 1, tries: 1, host: 'https://sluice.test' }]);
  [isOffline, bodies] = [false, []];
  await happen('notificationclose', { notification: aShown() });
  expect(events().map(([event]) => event)).toEqual(
    expect.arrayContaining(['bb_notification_delivered', 'bb_notification_closed']),
  );
  expect(await left()).toEqual([]);
});

it('a subscription that the browser changed is registered again', async () => {
  await happen('pushsubscriptionchange', { oldSubscription: { options: { userVisibleOnly: true } } });
  expect(events()).toEqual([
    ['bb_notification_registered', { key: '{"endpoint":"https://push.test/new"}', sdk: 'WEB', device_id: 'device-1' }],
  ]);
});
