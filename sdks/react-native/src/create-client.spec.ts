import { type SluiceError } from '@sluice/sdk-core';
import { afterEach, beforeEach, expect, expectTypeOf, it, vi } from 'vitest';
import { type NetworkSource } from './app/app-lifecycle.js';
import { createClientOn, Notification } from './create-client.js';
import { type ReactNativeClient, type ReactNativeOptions } from './options.js';
import { FakeStorage, SlowStorage } from './queue/fake-storages.spec-support.js';
import { Phone, Service } from './phone.spec-support.js';

const android = { apiKey: 'key-a', sourceIdentifier: 'Android00001' };
const ios = { apiKey: 'key-i', sourceIdentifier: 'Apple0000001' };

let service: Service;
const clients: ReactNativeClient[] = [];
beforeEach(() => {
  service = new Service();
  vi.stubGlobal('fetch', service.fetch);
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  vi.unstubAllGlobals();
});

function aClient(phone: Phone, over: Partial<ReactNativeOptions> = {}): ReactNativeClient {
  const storage = new FakeStorage().sync();
  const client = createClientOn(phone, { android, ios, apiHost: 'https://sluice.test', storage, ...over });
  clients.push(client);
  return client;
}

it.each([
  ['android', 'Android00001', 'key-a'],
  ['ios', 'Apple0000001', 'key-i'],
])('on %s the client has the credentials of that platform', async (os, source, apiKey) => {
  const client = aClient(new Phone(os));
  client.track('viewed', { total: 49.9 });
  expect(await client.flush()).toEqual({ sent: 1, left: 0 });
  expect(service.sent).toMatchObject([
    {
      url: `https://sluice.test/api/tracker/sdk/${source}/trackBatch`,
      headers: { Authorization: `Bearer ${apiKey}` },
      list: [{ event: 'viewed', properties: { total: 49.9 } }],
    },
  ]);
});

it('a message says what device it comes from', async () => {
  const client = aClient(new Phone('android'), { context: () => ({ app: { version: '4.2.0' } }) });
  client.track('viewed');
  await client.flush();
  expect(service.events[0]?.['context']).toMatchObject({
    os: { name: 'android', version: '15' },
    device: { manufacturer: 'Fairphone', model: 'FP5' },
    screen: { width: 392, height: 850, density: 2.75 },
    app: { version: '4.2.0' },
    sdk: { name: '@sluice/react-native', device: client.deviceId, seq: 0, lost: 0 },
  });
});

const blanks: readonly [what: string, over: Record<string, unknown>][] = [
  ['apiHost', { apiHost: ' ' }],
  ['apiHost, which is not given', { apiHost: undefined }],
  ['apiKey', { android: { ...android, apiKey: '' } }],
  ['sourceIdentifier', { android: { ...android, sourceIdentifier: ' ' } }],
  ['credentials of this platform', { android: undefined }],
];

it.each(blanks)(
  'without %s the client is disabled: it reports that, sends nothing and throws nothing',
  async (_, over) => {
    const codes: string[] = [];
    const client = aClient(new Phone('android'), { ...over, errorHandler: ({ code }) => codes.push(code) });
    expect([client.track('viewed'), client.identify('u-1'), client.setDeviceToken('t'), client.deviceId]).toEqual([
      false,
      false,
      false,
      undefined,
    ]);
    expect(await client.notifications.handle({ source: 'sluice-push', id: 'x' })).toBe('disabled');
    expect([await client.flush(), await client.saved()]).toEqual([{ sent: 0, left: 0 }, false]);
    expect([codes, service.sent]).toEqual([['disabled'], []]);
  },
);

it('a key of blanks leaves the place to a client that has one', async () => {
  const blank = aClient(new Phone('android'), { android: { ...android, apiKey: '  ' } });
  const client = aClient(new Phone('android'));
  expect([client === blank, client.track('viewed'), await client.flush()]).toEqual([false, true, { sent: 1, left: 0 }]);
});

it.each([
  5,
  {},
  {
    addEventListener: () => {
      throw new Error('no');
    },
  },
])('a network that cannot be listened to is reported, and the app starts: %j', async (network) => {
  const codes: string[] = [];
  const over = {
    network: network as unknown as NetworkSource,
    errorHandler: ({ code }: SluiceError) => codes.push(code),
  };
  const client = aClient(new Phone('android'), over);
  expect([client.track('viewed'), await client.flush(), codes]).toEqual([true, { sent: 1, left: 0 }, ['invalid']]);
  await client.close();
});

it('a client without options, or on a platform without credentials, throws nothing', () => {
  const make = createClientOn as unknown as (phone: Phone, options?: object) => ReactNativeClient;
  expect(make(new Phone('android')).track('viewed')).toBe(false);
  expect(make(new Phone('web'), { android, ios, apiHost: 'sluice.test' }).track('viewed')).toBe(false);
});

it('without a storage it works in memory, and that is reported', async () => {
  const reports: string[] = [];
  const over = {
    storage: undefined as never,
    errorHandler: ({ message }: { message: string }) => reports.push(message),
  };
  const client = aClient(new Phone('android'), over);
  expect(reports).toEqual(['no storage is given: messages are kept in memory only']);
  client.track('viewed');
  expect([await client.saved(), await client.flush()]).toEqual([false, { sent: 1, left: 0 }]);
});

it('the second call for a source gives the same client', () => {
  const phone = new Phone('ios');
  expect(aClient(phone)).toBe(aClient(phone));
});

it('a disabled client is not the one of the app', () => {
  const phone = new Phone('android');
  const client = aClient(phone);
  const other = aClient(phone, { android: undefined, apiHost: '' });
  expect(other).not.toBe(client);
  expect([other.track('viewed'), client.track('viewed')]).toEqual([false, true]);
});

it('a store of which only the writes are asynchronous works too', async () => {
  const device = new FakeStorage();
  const storage = device.sync();
  const setItem = async (name: string, text: string): Promise<void> => {
    await Promise.resolve();
    storage.setItem(name, text);
  };
  const slow = { ...storage, setItem };
  const client = aClient(new Phone('android'), { storage: slow });
  for (const event of ['first', 'second', 'third']) client.track(event);
  expect(await client.saved()).toBe(true);
  expect([...device.items.values()].join()).toMatch(/first.*second.*third/s);
  expect(await client.flush()).toEqual({ sent: 3, left: 0 });
});

it('going to the background sends at once, and a closed client has no listeners', async () => {
  const phone = new Phone('android');
  const client = aClient(phone);
  service.status = 0;
  client.track('viewed');
  phone.moveTo('inactive');
  await vi.waitFor(() => expect(service.sent).toHaveLength(0));
  phone.moveTo('background');
  await vi.waitFor(() => expect(service.sent).toHaveLength(1));
  expect(phone.listening).toBe(1);
  await client.close();
  expect(phone.listening).toBe(0);
});

it('a network that says that it is down does not hold up a flush', async () => {
  const phone = new Phone('android');
  const client = aClient(phone, { network: phone.network });
  phone.connect(true);
  client.track('viewed');
  await client.flush();
  expect(service.sent).toHaveLength(1);
  phone.connect(false);
  client.track('viewed');
  // The client sends although the network says that it is down.
  expect(await client.flush()).toEqual({ sent: 1, left: 0 });
});

it('with a synchronous store an event is stored when track returns', () => {
  const device = new FakeStorage();
  service.status = 0;
  aClient(new Phone('android'), { storage: device.sync() }).track('viewed');
  expect([...device.items.values()].join()).toContain('"event":"viewed"');
});

it('with an asynchronous store an event is stored when saved() resolves with true', async () => {
  const device = new SlowStorage(7);
  const client = aClient(new Phone('android'), { storage: device.async() });
  // Ids come from the store later; calls are taken at once and keep their time.
  expect([client.deviceId, client.track('viewed')]).toEqual([undefined, true]);
  expect(await client.saved()).toBe(true);
  expect([...device.items.values()].join()).toContain('"event":"viewed"');
  expect(client.deviceId).toMatch(/^[\da-f-]{36}$/);
  device.isFull = true;
  client.track('too_much');
  expect(await client.saved()).toBe(false);
  // A message that only memory has is safe once it has arrived.
  await client.flush();
  expect(await client.saved()).toBe(true);
});

it('the next run has the ids of the one before', async () => {
  const device = new SlowStorage(8);
  const first = aClient(new Phone('android'), { storage: device.async() });
  first.identify('u-1');
  await first.saved();
  const ids = [first.deviceId, first.anonymousId, first.userId];
  await first.close();
  const second = aClient(new Phone('android'), { storage: device.async() });
  await second.saved();
  expect([second.deviceId, second.anonymousId, second.userId]).toEqual(ids);
});

it('a store that cannot be read at the start loses no ids: they are new for this run only', async () => {
  const device = new SlowStorage(9);
  const first = aClient(new Phone('android'), { storage: device.async() });
  first.track('viewed');
  await first.saved();
  const { deviceId } = first;
  await first.close();
  const unreadable = { ...device.async(), getItem: () => Promise.reject(new Error('locked')) };
  const second = aClient(new Phone('android'), { storage: unreadable });
  second.track('viewed');
  expect(await second.saved()).toBe(false);
  expect(await second.flush()).toMatchObject({ left: 0 });
  expect(second.deviceId).not.toBe(deviceId);
  await second.close();
  const third = aClient(new Phone('android'), { storage: device.async() });
  await third.saved();
  expect(third.deviceId).toBe(deviceId);
});

it('a client of typed events takes no others', () => {
  type Track = ReactNativeClient<{ order_completed: { total: number } }>['track'];
  expectTypeOf<Parameters<Track>[0]>().toEqualTypeOf<'order_completed' | 'notification_registered'>();
});

it('a second createClient gives the same client, reports other options to both, and obeys a stricter consent', async () => {
  const reports: string[] = [];
  const reportedTo =
    (who: string): ReactNativeOptions['errorHandler'] =>
    ({ code, message }) =>
      void reports.push(`${who} ${code} ${message}`);
  const first = aClient(new Phone('android'), { flushAt: 5, errorHandler: reportedTo('first') });
  expect(aClient(new Phone('android'), { flushAt: 5, errorHandler: reportedTo('second') })).toBe(first);
  expect(reports).toEqual([]);

  const change = { flushAt: 7, android: { ...android, apiKey: 'key-b' }, consent: 'denied' } as const;
  expect(aClient(new Phone('android'), { ...change, errorHandler: reportedTo('second') })).toBe(first);
  const text = 'invalid createClient was called again with other options: flushAt, apiKey, consent';
  expect(reports).toEqual([`first ${text}`, `second ${text}`]);
  expect(first.track('viewed')).toBe(false);

  // Only the app itself may grant more consent, not a component that is loaded again.
  aClient(new Phone('android'), { consent: 'granted' });
  expect(first.track('viewed')).toBe(false);
  first.consent('granted');
  expect(first.track('viewed')).toBe(true);
  expect((await first.flush()).sent).toBe(1);
});

it('a push token without a client is not lost in silence', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  expect(Notification.refreshToken('token')).toBe(false);
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('call createClient first'));
  warn.mockRestore();
});

it.each([{ plugins: 5 }, { plugins: null }, { plugins: {} }])(
  'options of the wrong type throw nothing: %j',
  (wrong) => {
    const client = aClient(new Phone('android'), wrong as unknown as Partial<ReactNativeOptions>);
    expect(client.track('viewed')).toBe(true);
  },
);

it('an option that is undefined has the default of the platform', async () => {
  service.status = 503;
  const codes: string[] = [];
  const storage = new SlowStorage(1).async();
  const client = aClient(new Phone('android'), {
    storage,
    maxAge: undefined,
    maxBytes: undefined,
    errorHandler: ({ code }) => codes.push(code),
  });
  const text = 'x'.repeat(4_000);
  const properties = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, text]));
  // 2.2 MB, more than the 2 MiB for an asynchronous storage.
  for (let count = 0; count < 80; count++) {
    client.track('viewed', properties);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(codes).toContain('overflow');
});
