import { eventually, launchChromium } from '@sluice/testing';
import { type Browser, type CDPSession, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aNotification } from '../notification.js';
import { select } from '../stack.js';
import { expectOnce, openPage, trackInPage } from './client-page.js';
import { manifest, openSite, type Site } from './site.js';

let site: Site;
let browser: Browser;
let page: Page;
let devTools: CDPSession;
let registrationId: string | undefined;

const filePath = (name: string): string => `/sdk/${manifest.files[name]?.file ?? ''}`;

/** A worker of someone else, which imports ours. It reports to the page when our work for a push message is done. */
const theirWorker = `
  addEventListener('push', (event) => {
    const waitUntil = event.waitUntil.bind(event);
    let ours;
    event.waitUntil = (work) => waitUntil((ours = work));
    // Our listener comes after this one.
    const listened = new Promise((resolve) => setTimeout(resolve));
    waitUntil(listened.then(() => ours).then(() => new BroadcastChannel('pushes').postMessage('done')));
  });
  importScripts('${filePath('sluice-worker.js')}');
`;

beforeAll(async () => {
  site = await openSite();
  site.pages.set('/their-worker.js', { type: 'text/javascript', body: theirWorker });
  browser = await launchChromium();
  page = await openPage(await browser.newContext(), site.url);
  devTools = await page.context().newCDPSession(page);
  devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registrationId = registrations[0]?.registrationId ?? registrationId;
  });
  await devTools.send('ServiceWorker.enable');
  await page.addScriptTag({ url: filePath('sluice-push.js') });
  await page.evaluate(async () => {
    sluice.use(sluice.push({ worker: '/their-worker.js' }));
    await navigator.serviceWorker.ready;
  });
  await eventually(() => expect(registrationId).toBeDefined());
});
afterAll(async () => {
  await browser.close();
  site.close();
});

/** Names of the values that the page keeps for the service worker. */
const keptForWorker = () =>
  page.evaluate(async () => {
    const readResult = <Value>(request: IDBRequest<Value>) =>
      new Promise<Value>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error ?? new Error('no result'));
      });
    const database = await readResult(indexedDB.open('sluice'));
    const keys = readResult(database.transaction('values').objectStore('values').getAllKeys());
    database.close();
    return keys;
  });

/** Delivers a push message. Resolves when the worker has handled it. */
async function deliver(data: object): Promise<void> {
  const work = await page.evaluateHandle(() => ({
    done: new Promise<void>((resolve) => (new BroadcastChannel('pushes').onmessage = () => resolve())),
  }));
  await devTools.send('ServiceWorker.deliverPushMessage', {
    origin: site.url,
    registrationId: registrationId ?? '',
    data: JSON.stringify(data),
  });
  await work.evaluate(({ done }) => done);
}

it('a page registers its push token with its device', async () => {
  await page.evaluate(() => sluice.track('notification_registered', { key: 'token-of-web-push' }));
  await eventually(async () => {
    const rows = await select(
      "SELECT properties.sdk AS sdk, properties.device_id = context.sdk.device AS is_device FROM events WHERE event = 'bb_notification_registered' AND properties.key = 'token-of-web-push'",
    );
    expect(rows).toEqual([{ sdk: 'WEB', is_device: expect.anything() as unknown }]);
  });
});

it('a notification that cannot be shown is reported as failed, once, by the event and by the callback', async () => {
  // This browser shows none (`Notification.permission` is denied), whatever it is granted.
  const notification = await aNotification();
  await deliver({ source: 'sluice-push', id: notification.token, title: 'Sale', action: 'https://shop.example/sale' });
  const rows = await eventually(async () => {
    const query =
      'SELECT interaction, reported_by, reason FROM current_push_interactions WHERE notification_id = {id:String}';
    const rows = await select(query, { id: notification.notificationId });
    expect(rows[0]?.['reported_by']).toEqual(['callback', 'event']);
    return rows;
  });
  expect(rows).toEqual([
    { interaction: 'failed', reported_by: ['callback', 'event'], reason: expect.stringMatching(/./) as unknown },
  ]);
});

it('a message of someone else is left alone; after consent was denied, so are ours', async () => {
  const [foreign, denied] = [await aNotification(), await aNotification()];
  await deliver({ source: 'another', id: foreign.token, title: 'Hello' });
  expect(await keptForWorker()).toContain('worker');
  await page.evaluate(() => sluice.consent('denied'));
  // IndexedDB erases asynchronously: a message that comes earlier may still be ours to show.
  await eventually(async () => {
    const names = await page.evaluate(() => Object.keys(localStorage));
    expect(names.filter((name) => name.startsWith('sluice.'))).toEqual([]);
    expect(await keptForWorker()).toEqual([]);
  });
  // Browsers stop a worker that is idle: the next one knows what is stored, and nothing else.
  await devTools.send('ServiceWorker.stopAllWorkers');
  await deliver({ source: 'sluice-push', id: denied.token, title: 'Sale' });
  await page.evaluate(() => sluice.consent('granted'));
  await trackInPage(page, 'web_after_denial');
  await expectOnce('web_after_denial', ['web_after_denial']);
  for (const { notificationId: id } of [foreign, denied]) {
    expect(await select('SELECT * FROM current_push_interactions WHERE notification_id = {id:String}', { id })).toEqual(
      [],
    );
  }
});
