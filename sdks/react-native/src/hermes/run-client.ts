import { createClientOn, deepLinks, type NativeParts, type Storage, testStorage } from '../without-native.js';
import { uuid } from '../engine/uuid.js';

// Runs a client in an engine that has `print`, timers, and a `fetch`: no URL, TextEncoder, crypto, Intl,
// performance, AbortController. Prints what it sends, one request a line.

declare const print: (line: string) => void;

interface Init {
  readonly method: string;
  readonly body?: string;
}

const answer = {
  status: 200,
  headers: { get: () => null },
  text: () => Promise.resolve('{"status":"QUEUED"}'),
};

Object.assign(globalThis, {
  fetch: (url: string, { method, body }: Init) => {
    print(`${method} ${url} ${body ?? ''}`);
    return Promise.resolve(answer);
  },
});

function aStorage(): Storage {
  const items = new Map<string, string>();
  return {
    getItem: (name) => Promise.resolve(items.get(name) ?? null),
    setItem: (name, text) => Promise.resolve(void items.set(name, text)),
    removeItem: (name) => Promise.resolve(void items.delete(name)),
    getAllKeys: () => Promise.resolve([...items.keys()]),
  };
}

const native: NativeParts = {
  Platform: { OS: 'android', Version: 30, constants: { Release: '11', Model: 'Pixel' } },
  AppState: { currentState: 'active', addEventListener: () => ({ remove: () => undefined }) },
  Dimensions: { get: () => ({ width: 360, height: 640, scale: 3 }) },
  Linking: {
    getInitialURL: () => Promise.resolve('shop://lamps?utm_source=mail&utm_campaign=Fr%C3%BChling'),
    addEventListener: () => ({ remove: () => undefined }),
    openURL: () => Promise.resolve(),
  },
};

const messages = { source: 'sluice-push', id: 'token/1!', title: 'Lamps', customData: '{"campaign":"spring"}' };
const identifiers = 1_000;

async function runClient(): Promise<void> {
  const client = createClientOn(native, {
    android: { apiKey: 'key', sourceIdentifier: 'Source000001' },
    apiHost: 'https://sluice.test',
    packageName: 'com.example.shop',
    storage: aStorage(),
    notifications: { show: () => undefined, read: () => null },
    plugins: [deepLinks()],
    errorHandler: ({ code, message, cause }) => print(`REPORTED ${code} ${message} ${String(cause)}`),
  });
  client.identify('user-1', { name: 'Zoë \u{1f600} سلام' });
  client.track('viewed', { total: 49.9, text: 'Zoë \u{1f600} سلام', broken: '\ud83d' });
  client.setDeviceToken('push-token');
  print(`SAVED ${String(await client.saved())}`);
  print(`HANDLED ${await client.notifications.handle(messages)}`);
  const { left: leftMessages } = await client.flush();
  print(`LEFT ${String(leftMessages)}`);
  print(`STORAGE ${(await testStorage(aStorage())).join()}`);
  print(`IDS ${String(new Set(Array.from({ length: identifiers }, uuid)).size)} ${uuid()}`);
}

runClient().then(
  () => print('done'),
  (error: unknown) => print(`FAILED ${String(error)}`),
);
