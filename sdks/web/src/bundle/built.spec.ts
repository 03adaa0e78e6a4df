import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { createContext, runInContext } from 'node:vm';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeAll, expect, it } from 'vitest';
import { fakeStorage } from '../queue/fake-storage.spec-support.js';

// Runs the bundles themselves: the minifier can break what the sources do.

const root = new URL('../../', import.meta.url);
let files: Record<string, { file: string; csp?: string }>;

beforeAll(() => {
  execFileSync(process.execPath, [new URL('build.mjs', root).pathname]);
  ({ files } = JSON.parse(readFileSync(new URL('dist/bundle/manifest.json', root), 'utf8')) as { files: typeof files });
}, 120_000);

interface Sent {
  url: string;
  headers: Record<string, string>;
  list: Record<string, unknown>[];
}

type Method = (...args: unknown[]) => unknown;

/** A page with as much of a browser as the bundle uses. */
function aPage(dataset: Record<string, string> = {}, locks?: object, more: object = {}) {
  const sent: Sent[] = [];
  const posts: string[] = [];
  const channels: { onmessage: ((message: { data: string }) => void) | undefined }[] = [];
  const scripts: { src: string; integrity: string; onerror: () => void }[] = [];
  const storage = fakeStorage();
  const jar = new Map<string, string>();
  const location = new URL('https://www.shop.example/lamps?utm_campaign=spring');
  const page = {
    localStorage: storage,
    indexedDB: new IDBFactory(),
    IDBKeyRange,
    location,
    console,
    crypto,
    performance,
    setTimeout: globalThis.setTimeout,
    clearTimeout,
    URL,
    URLSearchParams,
    AbortController,
    navigator: { language: 'de', locks },
    screen: { width: 1_920, height: 1_080 },
    devicePixelRatio: 2,
    addEventListener: () => undefined,
    BroadcastChannel: class {
      onmessage: ((message: { data: string }) => void) | undefined;
      constructor() {
        channels.push(this);
      }
      postMessage = (text: string) => posts.push(text);
      close = () => undefined;
    },
    document: {
      currentScript: { src: 'https://sdk.example/sdk/0/sluice.js', dataset, nonce: '' },
      title: 'Lamps',
      referrer: '',
      visibilityState: 'visible',
      location,
      addEventListener: () => undefined,
      createElement: () => ({ dataset: {} }),
      head: { append: (script: (typeof scripts)[number]) => scripts.push(script) },
      get cookie() {
        return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      },
      set cookie(text: string) {
        const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(text) ?? [];
        jar.set(name, value);
      },
    },
    fetch: (url: string, { headers, body }: { headers: Record<string, string>; body: string }) => {
      sent.push({ url, headers, list: (JSON.parse(body) as Pick<Sent, 'list'>).list });
      return Promise.resolve(Response.json({ status: 'QUEUED' }));
    },
  };
  const context = createContext({ ...page, ...more, window: undefined });
  runInContext('window = globalThis', context);
  const load = (name: string): void => {
    runInContext(readFileSync(new URL(`dist/bundle/${files[name]?.file ?? ''}`, root), 'utf8'), context);
  };
  const sluice = (): Record<string, Method> => (context as { sluice: Record<string, Method> }).sluice;
  return { load, sluice, sent, scripts, storage, jar, posts, channels };
}

/** A client sends once it has listed its store. */
const listed = (): Promise<void> => setTimeout(100);

const credentials = { apiKey: ' key ', sourceIdentifier: 'Source000001' };

it('the bundle sends what was tracked, and leaves nothing behind', async () => {
  const { load, sluice, sent, storage } = aPage({ ...credentials });
  load('sluice.js');
  expect(sluice()['track']?.('viewed', { total: 49.9, tags: ['a', undefined] })).toBe(true);
  expect(sluice()['identify']?.('user-1', { plan: 'free' })).toBe(true);
  expect(Object.keys(storage).filter((name) => name.startsWith('sluice.m.'))).toHaveLength(2);
  await listed();
  expect(await sluice()['flush']?.()).toEqual({ sent: 2, left: 0 });
  expect(sent.map(({ url }) => new URL(url).pathname).sort()).toEqual([
    '/api/tracker/sdk/Source000001/identifyBatch',
    '/api/tracker/sdk/Source000001/trackBatch',
  ]);
  const track = sent.find(({ url }) => url.endsWith('trackBatch'));
  expect(track?.headers['Authorization']).toBe('Bearer key');
  expect(track?.list).toMatchObject([
    {
      event: 'viewed',
      properties: { total: 49.9 },
      context: {
        page: { path: '/lamps' },
        campaign: { name: 'spring' },
        sdk: { name: '@sluice/web', seq: 0, lost: 0 },
      },
    },
  ]);
  await setTimeout(50);
  expect(Object.keys(storage).filter((name) => /^sluice\.[bm]\./.test(name))).toEqual([]);
});

it('the module has one export, which makes a client', async () => {
  const path = new URL(`dist/bundle/${files['sluice-module.js']?.file ?? ''}`, root).href;
  const { createClient, ...others } = (await import(path)) as Record<
    string,
    (options: object) => Record<string, Method>
  >;
  expect(others).toEqual({});
  // There is no document here, as on a server.
  expect(createClient?.({ credentials })['track']?.('viewed')).toBe(false);
});

it('calls of the snippet keep their time and their order, and a function that the page kept works on', async () => {
  const { load, sluice, sent, scripts } = aPage();
  load('snippet.js');
  const { track } = sluice();
  sluice()['createClient']?.({ credentials });
  track?.('early', {});
  expect(scripts[0]?.src).toMatch(/^https:\/\/sdk\.example\/sdk\/sluice\.\w+\.js$/);
  const before = new Date().toISOString();
  await setTimeout(20);
  load('sluice.js');
  track?.('late', {});
  await listed();
  await sluice()['flush']?.();
  expect(sent.flatMap(({ list }) => list.map(({ event }) => event))).toEqual(['early', 'late']);
  const [early, late] = sent.flatMap(({ list }) => list.map(({ timestamp }) => String(timestamp)));
  expect([String(early) <= before, String(late) > before]).toEqual([true, true]);
});

it('plugins of their own bundle work with the client of another', async () => {
  const { load, sluice, sent, jar } = aPage();
  load('sluice.js');
  load('sluice-plugins.js');
  const plugins = [sluice()['pageViews']?.(), sluice()['sessions']?.()];
  sluice()['createClient']?.({ credentials, plugins, values: sluice()['sharedCookie'] });
  await listed();
  await sluice()['flush']?.();
  expect(sent.flatMap(({ list }) => list)).toMatchObject([
    { event: 'page_view', context: { session: { id: expect.any(String) as string } } },
  ]);
  expect([...jar.keys()]).toEqual(['sluice.Source000001.']);
});

it('a page without an origin of its own, as in a sandbox, has no locks and no stores, and sends', async () => {
  const refuse = () => Promise.reject(new DOMException('', 'SecurityError'));
  const { load, sluice, sent } = aPage({}, { request: refuse, query: refuse });
  load('sluice.js');
  sluice()['createClient']?.({ credentials, flushAt: 1, storage: 'memory' });
  sluice()['track']?.('viewed');
  await listed();
  expect(sent.flatMap(({ list }) => list.map(({ event }) => event))).toEqual(['viewed']);
});

it('a denial is announced to other tabs, and one that was announced is not sent back', async () => {
  const { load, sluice, storage, posts, channels } = aPage();
  load('sluice.js');
  sluice()['createClient']?.({ credentials });
  sluice()['track']?.('viewed');
  channels[0]?.onmessage?.({ data: 'denied' });
  expect([sluice()['track']?.('viewed'), Object.keys(storage), posts]).toEqual([false, [], []]);
  sluice()['consent']?.('granted');
  expect(sluice()['track']?.('viewed')).toBe(true);
  sluice()['consent']?.('denied');
  expect([Object.keys(storage), posts]).toEqual([[], ['denied']]);
  await listed();
});

it('a browser that blocks cookies, and throws at channels, locks and stores, sends from memory', async () => {
  const refuse = () => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  const { load, sluice, sent } = aPage(
    { ...credentials },
    { request: refuse, query: refuse },
    {
      BroadcastChannel: function Refused() {
        refuse();
      },
      indexedDB: { open: refuse },
    },
  );
  load('sluice.js');
  expect(sluice()['track']?.('viewed')).toBe(true);
  await listed();
  expect(await sluice()['flush']?.()).toEqual({ sent: 1, left: 0 });
  expect(sent.flatMap(({ list }) => list.map(({ event }) => event))).toEqual(['viewed']);
});

it('a script tag sets consent and debug, and the global has the ids', () => {
  const { load, sluice, storage } = aPage({ ...credentials, consent: 'pending', debug: '' });
  load('sluice.js');
  const ids = sluice() as unknown as Record<string, unknown>;
  expect(sluice()['track']?.('viewed')).toBe(true);
  expect([Object.keys(storage), typeof ids['anonymousId'], typeof ids['deviceId']]).toEqual([[], 'string', 'string']);
  sluice()['identify']?.('user-1');
  expect(ids['userId']).toBe('user-1');
  const misspelt = aPage({ ...credentials, consent: 'Denied' });
  misspelt.load('sluice.js');
  misspelt.sluice()['track']?.('viewed');
  expect(Object.keys(misspelt.storage)).toEqual([]);
});

it('a second createClient gives the same client, reports options that differ and obeys a stricter consent', () => {
  const { load, sluice, storage } = aPage();
  load('sluice.js');
  const reports: { code: string; message: string }[] = [];
  const errorHandler = (error: (typeof reports)[number]) => reports.push(error);
  const first = sluice()['createClient']?.({ credentials, errorHandler });
  expect(sluice()['createClient']?.({ credentials, errorHandler })).toBe(first);
  expect([reports, sluice()['track']?.('viewed')]).toEqual([[], true]);
  const other = { credentials: { ...credentials, apiKey: 'another' }, consent: 'denied', errorHandler };
  expect(sluice()['createClient']?.(other)).toBe(first);
  expect(reports.map(({ code, message }) => [code, message.replace(/.*without /, '')])).toEqual([
    ['invalid', 'credentials, consent'],
  ]);
  // A third call does not loosen it.
  sluice()['createClient']?.({ credentials, consent: 'pending', errorHandler });
  expect([sluice()['track']?.('viewed'), Object.keys(storage)]).toEqual([false, []]);
});

it('options of a configuration from JSON throw nothing', () => {
  const { load, sluice } = aPage();
  load('sluice.js');
  const reports: string[] = [];
  const wrong = {
    host: { apiPath: null, rtbPath: '' },
    plugins: 5,
    errorHandler: ({ code }: { code: string }) => reports.push(code),
  };
  sluice()['createClient']?.({ credentials, ...wrong });
  sluice()['use']?.(undefined);
  expect([sluice()['track']?.('viewed'), reports]).toEqual([true, ['invalid', 'invalid']]);
});

it('a plugin that is used before there is a client sees its events', () => {
  const { load, sluice } = aPage();
  load('sluice.js');
  let seen = 0;
  sluice()['use']?.((message: unknown) => (seen++, message));
  sluice()['createClient']?.({ credentials });
  sluice()['track']?.('viewed');
  expect(seen).toBe(1);
});

it('the methods of the snippet return what those of the client do', async () => {
  const { load, sluice, sent } = aPage({ ...credentials });
  load('snippet.js');
  expect([sluice()['track']?.('has space'), sluice()['track']?.('early'), sluice()['reset']?.()]).toEqual([
    false,
    true,
    undefined,
  ]);
  const flushed = sluice()['flush']?.();
  expect(flushed).toHaveProperty('then');
  load('sluice.js');
  expect(await flushed).toMatchObject({ left: 0 });
  expect(sent.flatMap(({ list }) => list.map(({ event }) => event))).toEqual(['early']);
});

it('without the file of its release the snippet loads the latest, and without that it takes nothing', async () => {
  const { load, sluice, scripts } = aPage({ ...credentials });
  load('snippet.js');
  sluice()['track']?.('early');
  scripts[0]?.onerror();
  expect([scripts[1]?.src, scripts[1]?.integrity]).toEqual(['https://sdk.example/sdk/0/sluice.js', '']);
  scripts[1]?.onerror();
  expect([sluice()['track']?.('late'), await sluice()['flush']?.()]).toEqual([false, { sent: 0, left: 0 }]);
});

it('ads come from a file of their own, from the address of its tag', async () => {
  const { load, sluice, sent } = aPage({ rtbPath: 'https://ads.example/' });
  load('sluice.js');
  load('sluice-ads.js');
  expect(await sluice()['requestAd']?.({ list: [] })).toEqual({ status: 'QUEUED' });
  expect(sent.map(({ url }) => url)).toEqual(['https://ads.example/api/rtb/ad']);
});

it('the inline snippet matches its hash for the policy, and needs no file of one release', () => {
  const { csp = '', file } = files['snippet-inline.js'] ?? { file: '' };
  const text = readFileSync(new URL(`dist/bundle/${file}`, root), 'utf8');
  expect(csp).toBe(`sha256-${createHash('sha256').update(text).digest('base64')}`);
  const { load, scripts } = aPage({ ...credentials, sdkPath: 'https://cdn.example/sdk/' });
  load('snippet-inline.js');
  expect(scripts.map(({ src }) => src)).toEqual(['https://cdn.example/sdk/0/sluice.js']);
});
