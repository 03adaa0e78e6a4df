import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ReactNativeClient } from './options.js';
import { Phone, Service } from './phone.spec-support.js';
import { FakeStorage, SlowStorage } from './queue/fake-storages.spec-support.js';
import { type Storage } from './storage/storage.js';

const minute = 60_000;
const hour = 60 * minute;
const timesADay = 3;

let service: Service;
const reports: { code: string; count?: number | undefined }[] = [];
/** Reports, except those of the outage itself. */
const losses = () => reports.filter(({ code }) => code !== 'unreachable');
beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
  service = new Service();
  vi.stubGlobal('fetch', service.fetch);
  reports.length = 0;
});
afterEach(() => {
  killed();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** An app that is killed leaves what the store has, and nothing else. */
function killed(): void {
  // Replaces the timers, so that none of the killed app fires.
  vi.useFakeTimers({ now: Date.now() });
  Object.assign(globalThis, { __sluiceReactNative: undefined });
}

/** One launch in this many loads the modules again: loading asks vitest's main process, which may be slow to answer. */
const launchesOfOneLoad = 5;
let launches = 0;

/** Launches the app with nothing of the one before but the store, and each fifth time with new modules. */
async function launched(device: FakeStorage, storage?: Storage): Promise<ReactNativeClient> {
  if (launches++ % launchesOfOneLoad === 0) vi.resetModules();
  const { createClientOn } = await import('./create-client.js');
  return createClientOn(new Phone('android'), {
    android: { apiKey: 'key', sourceIdentifier: 'Source000001' },
    apiHost: 'https://sluice.test',
    storage: storage ?? (device instanceof SlowStorage ? device.async() : device.sync()),
    errorHandler: ({ code, count }) => reports.push({ code, count }),
  });
}

async function whileTimeGoesOn<T>(promise: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const over = promise.finally(() => (state.isOver = true));
  while (!state.isOver) await vi.advanceTimersByTimeAsync(1);
  return over;
}

/** Uses the app for ten minutes three times a day, and kills it each time. Returns the names of all events. */
async function use(device: FakeStorage, days: number): Promise<string[]> {
  const names: string[] = [];
  for (let at = 0; at < days * timesADay; at++) {
    const client = await launched(device);
    for (const event of [`e${at}.opened`, `e${at}.viewed`]) {
      client.track(event);
      names.push(event);
    }
    await vi.advanceTimersByTimeAsync(10 * minute);
    // A try may be under way, and the store's turns are timers, too.
    expect(await whileTimeGoesOn(client.saved())).toBe(true);
    killed();
    await vi.advanceTimersByTimeAsync((24 / timesADay) * hour - 10 * minute);
  }
  return names;
}

/** Names of the events that arrived, once for each key and position. */
function arrived(): string[] {
  const places = new Map<string, string>();
  for (const { headers, list } of service.sent.slice(service.refused)) {
    for (const [at, item] of list.entries())
      places.set(`${headers['Idempotency-Key'] ?? ''} ${at}`, String(item['event']));
  }
  return [...places.values()].sort();
}

it.each([
  ['7 days', 7, () => new SlowStorage(21)],
  // The device's clock does not prove an age, so nothing expires.
  ['35 days', 35, () => new FakeStorage()],
])(
  '%s without the service, and the app killed after each use, lose nothing',
  { timeout: 60_000 },
  async (_, days, make) => {
    const device = make();
    service.status = 0;
    const names = await use(device, days);
    service.end();
    const client = await launched(device);
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(arrived()).toEqual([...names].sort());
    expect(losses()).toEqual([]);
    const flushed = client.flush();
    await vi.advanceTimersByTimeAsync(minute);
    expect(await flushed).toEqual({ sent: 0, left: 0 });
  },
);

it.each([
  ['cannot be listed', 'getAllKeys'],
  ['cannot be read', 'getItem'],
] as const)('messages in a store that %s for a minute are sent without a restart', async (_, call) => {
  const device = new SlowStorage(22);
  service.status = 0;
  const names = await use(device, 1);
  service.end();
  const storage = device.async();
  let isBroken = true;
  await launched(device, {
    ...storage,
    [call]: (name: string) =>
      isBroken && (call === 'getAllKeys' || name.startsWith('sluice.b.'))
        ? Promise.reject(new Error('locked'))
        : storage[call](name),
  });
  await vi.advanceTimersByTimeAsync(minute);
  expect(arrived()).toEqual([]);
  isBroken = false;
  await vi.advanceTimersByTimeAsync(10 * minute);
  expect(arrived()).toEqual([...names].sort());
});
