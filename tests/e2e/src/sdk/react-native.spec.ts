import { eventually } from '@sluice/testing';
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createClientOn,
  filesStorage,
  type NativeParts,
  type NotificationAdapter,
  type ReactNativeClient,
  type ShownNotification,
  type Storage,
} from '@sluice/react-native/without-native';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { aNotification } from '../notification.js';
import { local, operator, select, type SourceCredentials } from '../stack.js';

let source: SourceCredentials;
const clients: ReactNativeClient[] = [];
const folders: string[] = [];

beforeAll(async () => {
  source = await operator<SourceCredentials>('sources', 'create', '--name', 'App', '--type', 'android-sdk');
  // The gateway knows a new source after a moment; a client that is refused would rest for ten minutes.
  await eventually(async () => {
    const url = `${local().gateway.url}/api/tracker/sdk/${source.sourceIdentifier}/track?validate=only`;
    const headers = { authorization: `Bearer ${source.apiKey}`, 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: '{"userId":"u","event":"e"}' });
    expect(answer.status).toBe(200);
  });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** React Native's modules of an app in the foreground. */
const native: NativeParts = {
  Platform: { OS: 'android', Version: 35, constants: { Release: '15', Manufacturer: 'Fairphone', Model: 'FP5' } },
  AppState: { currentState: 'active', addEventListener: () => undefined },
  Dimensions: { get: () => ({ width: 392, height: 850, scale: 2.75 }) },
  Linking: {
    getInitialURL: () => Promise.resolve(null),
    addEventListener: () => undefined,
    openURL: () => Promise.resolve(),
  },
};

/** A storage of files in a folder of this machine. */
function aStorage(): Storage {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-app-'));
  folders.push(folder);
  return filesStorage({
    list: () => {
      mkdirSync(folder, { recursive: true });
      return readdirSync(folder);
    },
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    write: (file, text) => writeFileSync(join(folder, file), text),
    remove: (file) => rmSync(join(folder, file), { force: true }),
  });
}

const shownNotifications: ShownNotification[] = [];
const notifications: NotificationAdapter = {
  show: (notification) => void shownNotifications.push(notification),
  read: () => null,
};

function aClient(): ReactNativeClient {
  const { apiKey, sourceIdentifier } = source;
  const client = createClientOn(native, {
    android: { apiKey, sourceIdentifier },
    apiHost: local().gateway.url,
    packageName: 'com.example.shop',
    storage: aStorage(),
    notifications,
  });
  clients.push(client);
  return client;
}

it('events and traits of an app become rows, with the device they come from', async () => {
  const client = aClient();
  const { deviceId } = client;
  client.identify('app-user-1', { plan: 'free' });
  client.track('app_viewed', { total: 49.9, name: 'Zoë 😀' });
  expect(await client.flush()).toEqual({ sent: 2, left: 0 });
  await eventually(async () => {
    const rows = await select(
      `SELECT user_id, properties.total AS total, properties.name AS name, context.device.model AS model,
        context.sdk.device AS device FROM events WHERE event = 'app_viewed'`,
    );
    expect(rows).toEqual([{ user_id: 'app-user-1', total: 49.9, name: 'Zoë 😀', model: 'FP5', device: deviceId }]);
  });
});

it('a push token is registered, and a shown notification is one row of its event and its callback', async () => {
  const client = aClient();
  const { deviceId } = client;
  const notification = await aNotification({ source: source.sourceIdentifier });
  expect(client.setDeviceToken('token-of-the-app')).toBe(true);
  const data = { source: 'sluice-push', id: notification.token, title: 'Sale', customData: '{"campaign":"spring"}' };
  expect(await client.notifications.handle({ data })).toBe('shown');
  expect(shownNotifications).toMatchObject([{ id: notification.token, title: 'Sale' }]);
  await client.flush();
  await eventually(async () => {
    const query = 'SELECT interaction, reported_by FROM current_push_interactions WHERE notification_id = {id:String}';
    expect(await select(query, { id: notification.notificationId })).toEqual([
      { interaction: 'delivered', reported_by: ['callback', 'event'] },
    ]);
    const registered = await select(
      `SELECT properties.sdk AS sdk, properties.package_name AS package_name, properties.device_id AS device
        FROM events WHERE event = 'bb_notification_registered' AND properties.key = 'token-of-the-app'`,
    );
    expect(registered).toEqual([{ sdk: 'ANDROID', package_name: 'com.example.shop', device: deviceId }]);
  });
});
