import { beforeEach, afterEach, describe, expect, it, vi } from 'vitest';
import { createClientOn, Notification } from '../create-client.js';
import { type ReactNativeClient, type ReactNativeOptions } from '../options.js';
import { Phone, Service } from '../phone.spec-support.js';
import { FakeStorage, SlowStorage } from '../queue/fake-storages.spec-support.js';
import {
  type NotificationAdapter,
  type NotificationInteraction,
  type ShownNotification,
} from './notification-adapter.js';

const credentials = { apiKey: 'key', sourceIdentifier: 'Source000001' };

/** Data as Firebase delivers it: all values are texts. */
const data = {
  source: 'sluice-push',
  id: 'token-1',
  title: 'Lamps',
  body: 'Half the price',
  image: 'https://shop.example/lamp.png',
  action: 'shop://lamps',
  actions: JSON.stringify([
    { title: 'Buy', action: 'shop://buy' },
    { title: 'Later' },
    { title: 'Never' },
    { title: 'A fourth' },
  ]),
  customData: '{"campaign":"spring","number":7}',
};

interface Tap {
  readonly data: unknown;
  readonly interaction: 'clicked' | 'closed';
  readonly button?: number;
}

/** A fake library of notifications, which a test controls. */
class Shown implements NotificationAdapter {
  readonly shown: ShownNotification[] = [];
  emit: (event: Tap) => Promise<unknown> = () => Promise.resolve();
  launchedBy: Tap | null = null;
  broken: Error | undefined;

  show(notification: ShownNotification): Promise<void> {
    if (this.broken) return Promise.reject(this.broken);
    this.shown.push(notification);
    return Promise.resolve();
  }

  read(event: unknown): Tap {
    return event as Tap;
  }

  subscribe(listener: (event: unknown) => Promise<unknown>): void {
    this.emit = listener;
  }

  initial(): Promise<Tap | null> {
    return Promise.resolve(this.launchedBy);
  }
}

let service: Service;
let screen: Shown;
const clients: ReactNativeClient[] = [];
beforeEach(() => {
  service = new Service();
  screen = new Shown();
  vi.stubGlobal('fetch', service.fetch);
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  vi.unstubAllGlobals();
});

function aClient(phone: Phone, over: Partial<ReactNativeOptions> = {}): ReactNativeClient {
  const storage = new FakeStorage().sync();
  const all = {
    android: credentials,
    ios: credentials,
    apiHost: 'https://sluice.test',
    packageName: 'com.example.shop',
  };
  const client = createClientOn(phone, { ...all, storage, notifications: screen, ...over });
  clients.push(client);
  return client;
}

/** Events as they arrive, by name and properties. */
async function eventsOf(client: ReactNativeClient): Promise<unknown[]> {
  await client.flush();
  return service.events.map(({ event, properties }) => [event, properties]);
}

describe('a push message', () => {
  it('is shown with at most three buttons, and reported as delivered by an event and a callback', async () => {
    const client = aClient(new Phone('android'));
    expect(await client.notifications.handle(data)).toBe('shown');
    const { id, title, body, image } = data;
    expect(screen.shown).toEqual([
      {
        id,
        title,
        body,
        image,
        data,
        actions: [{ title: 'Buy', action: 'shop://buy' }, { title: 'Later' }, { title: 'Never' }],
      },
    ]);
    expect(service.callbacks).toEqual(['/api/tracker/general/delivered?token=token-1']);
    expect(await eventsOf(client)).toEqual([['bb_notification_delivered', { id: 'token-1' }]]);
  });

  it.each([
    ['the message of Firebase', { messageId: '1', data }],
    ['the task data of expo-notifications', { notification: { data } }],
    ['a notification of expo-notifications', { request: { content: { data } } }],
    ['data as one text', JSON.stringify(data)],
  ])('is found in %s', async (_, message) => {
    expect(await aClient(new Phone('android')).notifications.handle(message)).toBe('shown');
    expect(screen.shown).toHaveLength(1);
  });

  it.each([
    ['another tag', { ...data, source: 'someone-else' }],
    ['no id', { ...data, id: '' }],
    ['nothing', undefined],
    ['a list', [data]],
  ])('with %s is foreign and stays untouched', async (_, message) => {
    const client = aClient(new Phone('android'));
    expect(await client.notifications.handle(message)).toBe('foreign');
    expect([screen.shown, await eventsOf(client), service.sent]).toEqual([[], [], []]);
  });

  it('that cannot be shown is reported with the reason', async () => {
    screen.broken = new Error('no channel');
    const client = aClient(new Phone('android'));
    expect(await client.notifications.handle(data)).toBe('failed');
    expect(service.callbacks).toEqual(['/api/tracker/general/failed?token=token-1']);
    expect(await eventsOf(client)).toEqual([
      ['bb_notification_failed', { id: 'token-1', reason: 'Error: no channel' }],
    ]);
  });

  it('without an adapter fails, and says so', async () => {
    const client = aClient(new Phone('android'), { notifications: undefined });
    expect(await client.notifications.handle(data)).toBe('failed');
    expect(await eventsOf(client)).toMatchObject([
      ['bb_notification_failed', { reason: expect.any(String) as string }],
    ]);
  });

  it.each(['pending', 'denied'] as const)('is not shown while consent is %s', async (consent) => {
    expect(await aClient(new Phone('android'), { consent }).notifications.handle(data)).toBe('disabled');
    expect([screen.shown, service.sent]).toEqual([[], []]);
  });

  it('on iOS counts as delivered only while the app is in use', async () => {
    const phone = new Phone('ios');
    phone.state = 'background';
    const client = aClient(phone);
    expect(await client.notifications.handle(data)).toBe('shown');
    expect(await eventsOf(client)).toEqual([]);
    phone.state = 'active';
    await client.notifications.handle({ ...data, id: 'token-2' });
    expect(await eventsOf(client)).toEqual([['bb_notification_delivered', { id: 'token-2' }]]);
  });
});

describe('in a background task', () => {
  it('everything is stored and sent when handle resolves, with an asynchronous store too', async () => {
    const phone = new Phone('android');
    phone.state = 'background';
    const device = new SlowStorage(11);
    const client = aClient(phone, { storage: device.async() });
    expect(await client.notifications.handle(data)).toBe('shown');
    expect(service.events).toMatchObject([{ event: 'bb_notification_delivered', properties: { id: 'token-1' } }]);
    expect(service.callbacks).toHaveLength(1);
  });

  it('the event is in the store before the callback is made', async () => {
    const phone = new Phone('android');
    phone.state = 'background';
    const device = new SlowStorage(12);
    const stored: string[] = [];
    vi.stubGlobal('fetch', (url: string, init: Parameters<Service['fetch']>[1]) => {
      if (init.method === 'GET') stored.push([...device.items.values()].join());
      return service.fetch(url, init);
    });
    await aClient(phone, { storage: device.async() }).notifications.handle(data);
    expect(stored).toHaveLength(1);
    expect(stored[0]).toContain('bb_notification_delivered');
  });

  it('without a network the event stays for the next start', async () => {
    vi.useFakeTimers();
    try {
      const phone = new Phone('android');
      phone.state = 'background';
      service.status = 0;
      const storage = new FakeStorage();
      const handled = aClient(phone, { storage: storage.sync() }).notifications.handle(data);
      await vi.advanceTimersByTimeAsync(30_000);
      expect(await handled).toBe('shown');
      expect([...storage.items.values()].join()).toContain('bb_notification_delivered');
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a tap', () => {
  it('on the body opens the target and gives the app the custom data', async () => {
    const phone = new Phone('android');
    const reported: NotificationInteraction[] = [];
    const client = aClient(phone, { onInteraction: (interaction) => reported.push(interaction) > 9 });
    await screen.emit({ data, interaction: 'clicked' });
    expect(reported).toEqual([
      { id: 'token-1', interaction: 'clicked', url: 'shop://lamps', customData: { campaign: 'spring' } },
    ]);
    expect(phone.opened).toEqual(['shop://lamps']);
    expect(service.callbacks).toEqual(['/api/tracker/general/click?token=token-1&url=shop%3A%2F%2Flamps']);
    expect(await eventsOf(client)).toEqual([['bb_notification_clicked', { id: 'token-1', url: 'shop://lamps' }]]);
  });

  it('on a button has its position and its own target', async () => {
    const client = aClient(new Phone('ios'));
    await screen.emit({ data, interaction: 'clicked', button: 1 });
    await screen.emit({ data, interaction: 'clicked', button: 2 });
    expect(await eventsOf(client)).toEqual([
      ['bb_notification_clicked', { id: 'token-1', actionId: '1', url: 'shop://buy' }],
      ['bb_notification_clicked', { id: 'token-1', actionId: '2' }],
    ]);
  });

  it.each([
    ['that it does', () => true, []],
    ['so by a promise', () => Promise.resolve(true), []],
    ['by a promise that it does not', () => Promise.resolve(false), ['shop://lamps']],
    ['by a promise that fails', () => Promise.reject(new Error('no')), ['shop://lamps']],
  ])('is opened once, by the app that says %s or by the SDK', async (_, onInteraction, opened) => {
    const phone = new Phone('android');
    aClient(phone, { onInteraction });
    await screen.emit({ data, interaction: 'clicked' });
    expect(phone.opened).toEqual(opened);
  });

  it('that the library reports twice is reported once', async () => {
    const client = aClient(new Phone('android'));
    await screen.emit({ data, interaction: 'clicked' });
    await screen.emit({ data, interaction: 'clicked' });
    expect(await eventsOf(client)).toHaveLength(1);
  });

  const without = { ...data, action: '' };
  it.each([
    ['android', 'background', ['bb_notification_clicked', 'bb_notification_opened']],
    ['android', 'active', ['bb_notification_clicked']],
    ['ios', 'background', ['bb_notification_clicked']],
  ])('without a target on %s in state %s is reported as %j', async (os, state, names) => {
    const phone = new Phone(os);
    phone.state = state;
    const client = aClient(phone);
    await screen.emit({ data: without, interaction: 'clicked' });
    expect((await eventsOf(client)).map((event) => (event as [string])[0])).toEqual(names);
  });

  it('that launched the app is reported, with an asynchronous store too', async () => {
    screen.launchedBy = { data: without, interaction: 'clicked' };
    const client = aClient(new Phone('android'), { storage: new SlowStorage(13).async() });
    await vi.waitFor(() => expect(service.callbacks).toHaveLength(2));
    expect(service.callbacks).toEqual([
      '/api/tracker/general/click?token=token-1',
      '/api/tracker/general/open?token=token-1',
    ]);
    expect(await eventsOf(client)).toHaveLength(2);
  });

  it('on a notification of another sender is ignored', async () => {
    const client = aClient(new Phone('android'));
    expect(await client.notifications.handleEvent({ data: { source: 'other' }, interaction: 'clicked' })).toBeNull();
    expect(await client.notifications.handleEvent(undefined)).toBeNull();
    expect(await eventsOf(client)).toEqual([]);
  });
});

it('a dismissal is reported as closed', async () => {
  const client = aClient(new Phone('android'));
  await client.notifications.interacted(data, { interaction: 'closed' });
  expect(service.callbacks).toEqual(['/api/tracker/general/close?token=token-1']);
  expect(await eventsOf(client)).toEqual([['bb_notification_closed', { id: 'token-1' }]]);
});

it('the functions work without their object, which holds nothing else', async () => {
  const { notifications } = aClient(new Phone('android'));
  expect(await { ...notifications }.handle(data)).toBe('shown');
  expect(JSON.stringify(notifications)).toBe('{}');
});

describe('a push token', () => {
  it.each([
    ['android', 'ANDROID'],
    ['ios', 'IOS'],
  ])('on %s is registered with the sdk %s', async (os, sdk) => {
    const client = aClient(new Phone(os));
    const { deviceId } = client;
    expect([client.setDeviceToken('token-a'), client.notifications.refreshToken('token-b')]).toEqual([true, true]);
    const more = { package_name: 'com.example.shop', sdk, device_id: deviceId };
    expect(await eventsOf(client)).toEqual([
      ['bb_notification_registered', { key: 'token-a', ...more }],
      ['bb_notification_registered', { key: 'token-b', ...more }],
    ]);
  });

  it('is registered by Notification.refreshToken with the client of the app, while there is one', async () => {
    expect(Notification.refreshToken('token-a')).toBe(false);
    const client = aClient(new Phone('android'));
    expect(Notification.refreshToken('token-a')).toBe(true);
    expect(await eventsOf(client)).toMatchObject([['bb_notification_registered', { key: 'token-a' }]]);
    await client.close();
    expect(Notification.refreshToken('token-a')).toBe(false);
  });

  it('that comes before the ids are read gets the device id all the same', async () => {
    const client = aClient(new Phone('android'), { storage: new SlowStorage(14).async() });
    expect(client.setDeviceToken('token-a')).toBe(true);
    const events = await eventsOf(client);
    expect(client.deviceId).toMatch(/^[\da-f-]{36}$/);
    expect(events).toMatchObject([['bb_notification_registered', { key: 'token-a', device_id: client.deviceId }]]);
  });

  it.each([
    ['no package name', { packageName: undefined }],
    ['a blank package name', { packageName: ' ' }],
  ])('with %s is registered without one', async (_, over) => {
    const client = aClient(new Phone('ios'), over);
    expect(client.setDeviceToken('token')).toBe(true);
    const properties = { key: 'token', sdk: 'IOS', device_id: client.deviceId };
    expect(await eventsOf(client)).toEqual([['bb_notification_registered', properties]]);
  });

  it.each([
    ['a blank token', ''],
    ['a token that is not a text', undefined as unknown as string],
  ])('with %s is reported as invalid and not registered', async (_, token) => {
    const codes: string[] = [];
    const client = aClient(new Phone('android'), { errorHandler: ({ code }) => codes.push(code) });
    expect([client.setDeviceToken(token), codes]).toEqual([false, ['invalid']]);
    expect(await eventsOf(client)).toEqual([]);
  });
});
