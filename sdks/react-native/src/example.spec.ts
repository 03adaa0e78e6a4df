import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { expect, it, vi } from 'vitest';

const folder = fileURLToPath(new URL('../example/', import.meta.url));

const compiler = fileURLToPath(new URL('bin/tsc', import.meta.resolve('native-typescript/package.json')));

it('the example compiles', { timeout: 60_000 }, () => {
  const run = spawnSync(process.execPath, [compiler, '-p', folder, '--listFiles'], { encoding: 'utf8' });
  const lines = run.stdout.trim().split('\n');
  const files = lines.filter((line) => line.startsWith(folder));
  expect({ status: run.status, errors: lines.filter((line) => line.includes('error TS')) }).toEqual({
    status: 0,
    errors: [],
  });
  expect(files.length).toBeGreaterThan(4);
});

/** Libraries that the app imports. The `require` of its context returns a stub of each. */
const libraries = ['react', 'react/jsx-runtime', 'react-native', 'expo', 'react-native-mmkv'].concat(
  '@notifee/react-native',
  '@react-native-firebase/messaging',
);

/** Bundles the app into one script. */
async function bundle(): Promise<string> {
  const app = await rolldown({
    input: `${folder}index.ts`,
    resolve: { conditionNames: ['@sluice/source', 'import'] },
    external: libraries,
    logLevel: 'silent',
  });
  const { output } = await app.generate({ format: 'cjs' });
  await app.close();
  return output[0].code;
}

interface Sent {
  readonly url: string;
  readonly list: readonly { readonly event?: string; readonly properties?: Readonly<Record<string, unknown>> }[];
}

type Element = Readonly<{ title?: string; onPress?: () => void; children?: unknown }>;

/** A phone with the app, in a context with timers, `fetch`, `console` and `require`, and nothing else of Node. */
async function aPhone() {
  const sent: Sent[] = [];
  const shown: { id: string }[] = [];
  const items = new Map<string, string>();
  let handler: (message: object) => Promise<void> = () => Promise.resolve();
  let App: () => unknown = () => undefined;
  const buttons: Element[] = [];
  const jsx = (type: unknown, props: Element): unknown => {
    if (type === 'Button') buttons.push(props);
    return props;
  };
  const modules: Record<string, unknown> = {
    react: {
      useState: (first: unknown) => [first, () => undefined],
      useEffect: (work: () => void) => work(),
    },
    'react/jsx-runtime': { jsx, jsxs: jsx },
    'react-native': {
      View: 'View',
      Text: 'Text',
      Button: 'Button',
      Platform: { OS: 'android', Version: 35, constants: { Release: '15' } },
      AppState: { currentState: 'background', addEventListener: () => ({ remove: () => undefined }) },
      Dimensions: { get: () => ({ width: 392, height: 850, scale: 2.75 }) },
      Linking: { getInitialURL: () => Promise.resolve(null), addEventListener: () => undefined },
    },
    expo: {
      registerRootComponent: (component: () => unknown) => {
        App = component;
      },
    },
    'react-native-mmkv': {
      createMMKV: () => ({
        getString: (name: string) => items.get(name),
        set: (name: string, text: string) => items.set(name, text),
        remove: (name: string) => items.delete(name),
        getAllKeys: () => [...items.keys()],
      }),
    },
    '@notifee/react-native': {
      displayNotification: (notification: { id: string }) => Promise.resolve(shown.push(notification)),
      onForegroundEvent: () => undefined,
      onBackgroundEvent: () => undefined,
      getInitialNotification: () => Promise.resolve(null),
      requestPermission: () => Promise.resolve(),
      createChannel: () => Promise.resolve('offers'),
    },
    '@react-native-firebase/messaging': {
      getMessaging: () => ({}),
      getToken: () => Promise.resolve('push-token'),
      onMessage: () => undefined,
      onTokenRefresh: () => undefined,
      setBackgroundMessageHandler: (_: unknown, work: typeof handler) => {
        handler = work;
      },
    },
  };
  const fetch = (url: string, { body }: { body?: string }) => {
    sent.push({ url, ...(JSON.parse(body ?? '{"list":[]}') as Pick<Sent, 'list'>) });
    return Promise.resolve({
      status: 200,
      headers: { get: () => null },
      text: () => Promise.resolve('{"status":"QUEUED"}'),
    });
  };
  const { setTimeout, clearTimeout } = globalThis;
  const console = { log: () => undefined, warn: () => undefined, debug: () => undefined };
  const require = (name: string): unknown => modules[name];
  const context = createContext({ require, fetch, setTimeout, clearTimeout, console, exports: {} });
  runInContext(await bundle(), context);
  return { sent, shown, items, buttons, render: () => App(), receive: (message: object) => handler(message) };
}

it(
  'the example tracks, registers its push token, and shows a message in the background',
  { timeout: 60_000 },
  async () => {
    const { sent, shown, items, buttons, render, receive } = await aPhone();
    render();
    buttons[0]?.onPress?.();
    expect([...items.values()].join()).toContain('product_added');
    const data = { source: 'sluice-push', id: 'token-1', title: 'Lamps' };
    await receive({ data });
    await receive({ data: { source: 'other' } });
    expect(shown.map(({ id }) => id)).toEqual(['token-1']);
    await vi.waitFor(() => {
      const events = sent.flatMap(({ list }) => list);
      expect(events.map(({ event }) => event).sort()).toEqual([
        'bb_notification_delivered',
        'bb_notification_registered',
        'product_added',
        'screen_viewed',
      ]);
      expect(events.find(({ event }) => event === 'product_added')?.properties).toEqual({
        product: 'lamp',
        price: 49.9,
      });
      expect(events.find(({ event }) => event === 'bb_notification_registered')?.properties).toMatchObject({
        key: 'push-token',
        sdk: 'ANDROID',
        package_name: 'com.example.lamps',
      });
    });
    expect(sent.map(({ url }) => new URL(url).pathname)).toContain('/api/tracker/general/delivered');
  },
);
