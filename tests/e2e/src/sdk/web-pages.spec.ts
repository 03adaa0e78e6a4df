import { eventually } from '@sluice/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { local, select } from '../stack.js';
import {
  beginClient,
  clientOptions,
  dispatchOnline,
  readErrors,
  expectOnce,
  openPage,
  trackInPage,
} from './client-page.js';
import { manifest } from './site.js';
import { visitor } from './visitor.js';

const visit = visitor();

it('eight tabs that write at once: each event is one row', async () => {
  const tabs = await Promise.all(Array.from({ length: 8 }, () => openPage(visit.context, visit.site.url)));
  const names = tabs.flatMap((_, tab) => Array.from({ length: 25 }, (__, index) => `web_tabs_${tab}_${index}`));
  await Promise.all(
    tabs.map((page, tab) =>
      page.evaluate(async (tab) => {
        for (let index = 0; index < 25; index++) {
          sluice.track(`web_tabs_${tab}_${index}`);
          if (index % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }, tab),
    ),
  );
  await expectOnce('web_tabs_', names);
});

it('events made offline outlive a reload, and go out when the network is back', async () => {
  // Only the gateway becomes unreachable: the page itself can be reloaded.
  const page = await openPage(visit.context, visit.site.url);
  await page.route(`${local().gateway.url}/**`, (route) => route.abort());
  await trackInPage(page, 'web_offline_1');
  await page.evaluate(() => sluice.flush());
  await page.reload();
  await beginClient(page);
  await trackInPage(page, 'web_offline_2');
  await page.unroute(`${local().gateway.url}/**`);
  await dispatchOnline(page);
  await expectOnce('web_offline_', ['web_offline_1', 'web_offline_2']);
});

it('a page that is left at once loses nothing: the event goes out with it, or with the next page', async () => {
  const page = await openPage(visit.context, visit.site.url);
  await trackInPage(page, 'web_left_1');
  await page.goto(`${visit.site.url}/next`);
  await beginClient(page);
  await expectOnce('web_left_', ['web_left_1']);
});

const makeScript = (name: string): string => {
  const { apiKey, sourceIdentifier } = local().source;
  const { file = '', integrity = '' } = manifest.files[name] ?? {};
  return `<script src="/sdk/${file}" integrity="${integrity}" data-api-key="${apiKey}"
    data-source-identifier="${sourceIdentifier}" data-api-path="${local().gateway.url}"></script>`;
};

it.each([
  ['the snippet', 'snippet.js', ''],
  ['the bundle, under Trusted Types', 'sluice.js', "; require-trusted-types-for 'script'"],
])('a page with a strict policy and no inline script tracks: %s', async (_, script, more) => {
  const name = `web_strict_${script.slice(0, -3)}`;
  const policy = `default-src 'none'; script-src 'self'; connect-src ${local().gateway.url}${more}`;
  const body = `<!doctype html>${makeScript(script)}<script src="/strict.js"></script>`;
  visit.site.pages.set('/strict', { headers: { 'content-security-policy': policy }, body });
  visit.site.pages.set('/strict.js', { type: 'text/javascript', body: `sluice.track('${name}')` });
  const page = await visit.context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(`${visit.site.url}/strict`);
  await expectOnce(name, [name]);
  expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([]);
});

it.each(['localStorage', 'indexedDB', 'both'])(
  'events go out though the browser refuses storage: %s',
  async (which) => {
    const refused = which === 'both' ? ['localStorage', 'indexedDB'] : [which];
    await visit.context.addInitScript((names) => {
      const get = (): never => {
        throw new DOMException('refused', 'SecurityError');
      };
      for (const name of names) Object.defineProperty(window, name, { get });
    }, refused);
    const page = await openPage(visit.context, visit.site.url);
    const name = `web_refused_${which}`;
    expect(await trackInPage(page, name)).toBe(true);
    await expectOnce(name, [name]);
    expect(await readErrors(page)).toEqual(which === 'both' ? ['storage'] : []);
  },
);

it('a page in the back-forward cache holds neither locks nor the database, and sends again when it is back', async () => {
  const page = await openPage(visit.context, visit.site.url);
  await trackInPage(page, 'web_back_1');
  // A page that has not listed its stores yet leaves its events to the next page.
  await expectOnce('web_back_', ['web_back_1']);
  expect(await heldLocks(page)).toHaveLength(2);
  await page.evaluate(() => {
    sluice.track('web_back_2');
    dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
  });
  await expectOnce('web_back_', ['web_back_1', 'web_back_2']);
  const blocked = await page.evaluate(() => {
    const request = indexedDB.deleteDatabase('sluice');
    return new Promise((resolve) => {
      request.onblocked = () => resolve(true);
      request.onsuccess = () => resolve(false);
    });
  });
  expect([await heldLocks(page), blocked]).toEqual([[], false]);
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await trackInPage(page, 'web_back_3');
  await expectOnce('web_back_', ['web_back_1', 'web_back_2', 'web_back_3']);
});

const heldLocks = (page: Page) => page.evaluate(async () => (await navigator.locks.query()).held);

it('a page that is prerendered sends nothing before it is shown, and then with the time of the call', async () => {
  const requests: string[] = [];
  visit.context.on('request', (request) => requests.push(request.url()));
  await visit.context.addInitScript(() =>
    Object.defineProperty(document, 'prerendering', { value: true, configurable: true }),
  );
  const page = await openPage(visit.context, visit.site.url);
  await trackInPage(page, 'web_prerender_1');
  await sleep(3_000);
  expect(requests.filter((url) => url.includes('/api/tracker'))).toEqual([]);
  await page.evaluate(() => {
    Object.defineProperty(document, 'prerendering', { value: false });
    document.dispatchEvent(new Event('prerenderingchange'));
  });
  await expectOnce('web_prerender_', ['web_prerender_1']);
  const [row] = await select(
    "SELECT received_at - timestamp > 2.5 AS waited FROM events WHERE event = 'web_prerender_1'",
  );
  expect(row).toEqual({ waited: 1 });
});

it('a second createClient for the same source is the same client', async () => {
  const page = await openPage(visit.context, visit.site.url);
  const isSame = await page.evaluate(
    (options) => sluice.createClient(options) === sluice.createClient({ ...options }),
    clientOptions(),
  );
  expect(isSame).toBe(true);
});

/** Page function: names in localStorage, cookies, and how many values each store of the database has. */
async function readKept() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith('sluice.'));
  const readResult = <Value>(request: IDBRequest<Value>) =>
    new Promise<Value>((resolve) => (request.onsuccess = () => resolve(request.result)));
  const database = await readResult(indexedDB.open('sluice'));
  const stores = [...database.objectStoreNames].map((name) => database.transaction(name).objectStore(name));
  const counts = await Promise.all(stores.map((store) => readResult(store.count())));
  database.close();
  return [names, document.cookie, counts];
}

it('consent that is denied in one tab is denied in all, and nothing is left on the device', async () => {
  const [firstPage, secondPage] = [
    await openPage(visit.context, visit.site.url),
    await openPage(visit.context, visit.site.url),
  ];
  await secondPage.route(`${local().gateway.url}/**`, (route) => route.abort());
  await trackInPage(secondPage, 'web_denied_1');
  await firstPage.evaluate(() => sluice.consent('denied'));
  await eventually(async () => {
    expect(await trackInPage(secondPage, 'web_denied_2')).toBe(false);
  });
  await eventually(async () => {
    expect(await firstPage.evaluate(readKept)).toEqual([[], '', [0, 0, 0]]);
  });
});

it('while consent is pending nothing is kept or sent; once it is granted, earlier calls are', async () => {
  const page = await visit.context.newPage();
  await page.goto(visit.site.url);
  await page.evaluate((options) => {
    sluice.createClient({ ...options, consent: 'pending' });
    sluice.track('web_pending_1');
  }, clientOptions());
  await sleep(2_500);
  expect(await page.evaluate(() => [Object.keys(localStorage), document.cookie])).toEqual([[], '']);
  await page.evaluate(() => sluice.consent('granted'));
  await expectOnce('web_pending_', ['web_pending_1']);
});
