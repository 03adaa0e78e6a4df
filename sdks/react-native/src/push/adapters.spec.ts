import { expect, it, vi } from 'vitest';
import { expoNotificationsAdapter } from './expo-notifications.js';
import { type ShownNotification } from './notification-adapter.js';
import { notifeeAdapter } from './notifee.js';

const data = { source: 'sluice-push', id: 'token-1' };
const shown: ShownNotification = {
  id: 'token-1',
  title: 'Lamps',
  body: 'Half the price',
  image: 'https://shop.example/lamp.png',
  data,
  actions: [{ title: 'Buy', action: 'shop://buy' }, { title: 'Not now' }],
};

function aNotifee() {
  const [displayed, categories]: [object[], { id: string }[]] = [[], [{ id: 'of-the-app' }]];
  let foreground: ((event: never) => void) | undefined;
  let background: ((event: never) => Promise<void>) | undefined;
  let initial: { notification: object; pressAction: { id: string } } | null = null;
  return {
    displayed,
    categories,
    emit: (event: object) => {
      foreground?.(event as never);
      return background?.(event as never);
    },
    launchedBy: (pressed: typeof initial) => {
      initial = pressed;
    },
    displayNotification: (notification: object) => Promise.resolve(displayed.push(notification)),
    onForegroundEvent: (listener: (event: never) => void) => {
      foreground = listener;
    },
    onBackgroundEvent: (listener: (event: never) => Promise<void>) => {
      background = listener;
    },
    getInitialNotification: () => Promise.resolve(initial),
    getNotificationCategories: () => Promise.resolve([...categories]),
    setNotificationCategories: (all: object[]) =>
      Promise.resolve(categories.splice(0, categories.length, ...(all as typeof categories))),
  };
}

it('notifications that are shown at the same time all get their buttons from Notifee', async () => {
  const notifee = aNotifee();
  const adapter = notifeeAdapter(notifee, { channelId: 'offers' });
  const titles = [['Buy', 'Later'], ['Buy,Later'], ['Open']];
  await Promise.all(
    titles.map((some, at) =>
      adapter.show({ ...shown, id: `token-${at}`, actions: some.map((title) => ({ title, action: 'shop://buy' })) }),
    ),
  );
  const ids = notifee.displayed.map((one) => (one as { ios: { categoryId: string } }).ios.categoryId);
  expect(new Set(ids).size).toBe(titles.length);
  expect(notifee.categories.map(({ id }) => id)).toEqual(['of-the-app', ...ids]);
});

it('Notifee gets the notification with image and buttons, and keeps the categories of the app', async () => {
  const notifee = aNotifee();
  const adapter = notifeeAdapter(notifee, { channelId: 'offers', android: { smallIcon: 'ic_lamp' } });
  await adapter.show(shown);
  await adapter.show(shown);
  expect(notifee.displayed[0]).toMatchObject({
    id: 'token-1',
    title: 'Lamps',
    body: 'Half the price',
    data,
    android: {
      channelId: 'offers',
      smallIcon: 'ic_lamp',
      style: { type: 0, picture: shown.image },
      pressAction: { id: 'default', launchActivity: 'default' },
      actions: [
        { title: 'Buy', pressAction: { id: '1' } },
        { title: 'Not now', pressAction: { id: '2' } },
      ],
    },
    ios: { categoryId: 'sluice.Buy,Not%20now', attachments: [{ url: shown.image }] },
  });
  expect(notifee.categories).toMatchObject([
    { id: 'of-the-app' },
    {
      id: 'sluice.Buy,Not%20now',
      actions: [
        { id: '1', title: 'Buy' },
        { id: '2', title: 'Not now' },
      ],
    },
  ]);
});

it('taps and dismissals are read from events of Notifee, and nothing from other events', async () => {
  const notifee = aNotifee();
  const adapter = notifeeAdapter(notifee, { channelId: 'offers' });
  const detail = { notification: { data } };
  const read = (type: number, id?: string) =>
    adapter.read({ type, detail: { ...detail, ...(id && { pressAction: { id } }) } });
  expect([read(1, 'default'), read(2, '2'), read(0)]).toEqual([
    { data, interaction: 'clicked', button: 0 },
    { data, interaction: 'clicked', button: 2 },
    { data, interaction: 'closed' },
  ]);
  expect([read(3), read(4), read(-1)]).toEqual([null, null, null]);
  const heard = vi.fn(() => Promise.resolve());
  adapter.subscribe?.(heard);
  await notifee.emit({ type: 1, detail });
  expect(heard).toHaveBeenCalledTimes(2);
  expect(await adapter.initial?.()).toBeNull();
  notifee.launchedBy({ notification: { data }, pressAction: { id: '1' } });
  expect(adapter.read(await adapter.initial?.())).toEqual({ data, interaction: 'clicked', button: 1 });
});

function anExpo() {
  const scheduled: object[] = [];
  const categories = new Map<string, object[]>();
  let last: object | null = null;
  return {
    scheduled,
    categories,
    launchedBy: (response: object) => {
      last = response;
    },
    DEFAULT_ACTION_IDENTIFIER: 'expo.modules.notifications.actions.DEFAULT',
    scheduleNotificationAsync: (request: object) => Promise.resolve(scheduled.push(request)),
    setNotificationCategoryAsync: (id: string, actions: object[]) => Promise.resolve(categories.set(id, actions)),
    addNotificationResponseReceivedListener: () => undefined,
    getLastNotificationResponseAsync: () => Promise.resolve(last as never),
    clearLastNotificationResponseAsync: () => {
      last = null;
      return Promise.resolve();
    },
  };
}

it('expo-notifications gets the notification with a category of its buttons', async () => {
  const expo = anExpo();
  const adapter = expoNotificationsAdapter(expo, { channelId: 'offers' });
  await adapter.show(shown);
  const [id = ''] = expo.categories.keys();
  expect(id).toMatch(/^[a-z\d]+$/i);
  expect(expo.scheduled).toEqual([
    {
      identifier: 'token-1',
      content: { title: 'Lamps', body: 'Half the price', data, categoryIdentifier: id },
      trigger: { channelId: 'offers' },
    },
  ]);
  expect(expo.categories.get(id)).toEqual([
    { identifier: '1', buttonTitle: 'Buy' },
    { identifier: '2', buttonTitle: 'Not now' },
  ]);
});

it('taps and dismissals are read from responses of expo-notifications, and a launch is reported once', async () => {
  const expo = anExpo();
  const adapter = expoNotificationsAdapter(expo);
  const response = (actionIdentifier: string) => ({
    actionIdentifier,
    notification: { request: { content: { data } } },
  });
  expect([
    adapter.read(response(expo.DEFAULT_ACTION_IDENTIFIER)),
    adapter.read(response('2')),
    adapter.read(response('com.apple.UNNotificationDismissActionIdentifier')),
  ]).toEqual([
    { data, interaction: 'clicked', button: 0 },
    { data, interaction: 'clicked', button: 2 },
    { data, interaction: 'closed' },
  ]);
  expo.launchedBy(response('1'));
  expect(await adapter.initial?.()).toEqual(response('1'));
  expect(await adapter.initial?.()).toBeNull();
});
