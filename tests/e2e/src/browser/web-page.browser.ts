import { eventually, launchChromium } from '@sluice/testing';
import { type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it as test } from 'vitest';
import { aNotification, type SealedNotification } from '../notification.js';
import { local, select } from '../stack.js';
import { installedPrograms } from './installed.js';
import { openShop, type Seen, type TestShop } from './shop.js';

const browserTest = test.skipIf(!installedPrograms.chromium);
let shop: TestShop;
let browser: Browser;
let page: Page;
const preflights: string[] = [];

beforeAll(async () => {
  shop = await openShop();
  browser = await launchChromium({ executablePath: installedPrograms.chromium ?? '' });
  page = await browser.newPage();
  const devTools = await page.context().newCDPSession(page);
  devTools.on('Network.responseReceived', ({ type, response }) => {
    if (type === 'Preflight') preflights.push(`${response.status} ${new URL(response.url).pathname}`);
  });
  await devTools.send('Network.enable');
  await page.goto(shop.url);
});
afterAll(async () => {
  await browser.close();
  shop.close();
});

type Where = 'call' | 'callInWorker';
const inBrowser = (where: Where, request: object): Promise<Seen> =>
  page.evaluate(({ where, request }) => window[where](request), { where, request });

const callbackUrl = (name: string, query: Record<string, string>): string =>
  `${local().gateway.url}/api/tracker/general/${name}?${new URLSearchParams(query).toString()}`;

function trackRequest(body: unknown, headers: Record<string, string> = {}) {
  const { gateway, source } = local();
  return {
    url: `${gateway.url}/api/tracker/sdk/${source.sourceIdentifier}/track`,
    method: 'POST',
    headers: { authorization: `Bearer ${source.apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

const readInteractions = async ({ notificationId }: SealedNotification, count: number) =>
  eventually(async () => {
    const query = 'SELECT * FROM current_push_interactions WHERE notification_id = {id:String} ORDER BY interaction';
    const rows = await select(query, { id: notificationId });
    expect(rows).toHaveLength(count);
    return rows;
  });

browserTest.each(['call', 'callInWorker'] as const)(
  'a page of another origin tracks events with its key: %s',
  async (where) => {
    const request = trackRequest(
      { userId: 'browser', event: 'page_view' },
      { 'idempotency-key': `${where}-${Date.now()}` },
    );
    const answer = await inBrowser(where, request);

    expect(answer).toMatchObject({ status: 200, body: { status: 'QUEUED' } });
    await eventually(async () => {
      const rows = await select('SELECT event FROM events WHERE request_id = {id:UUID}', { id: answer.requestId });
      expect(rows).toEqual([{ event: 'page_view' }]);
    });
    // Proves that the browser really sent a preflight.
    if (where === 'call') expect(preflights).toContain(`204 ${new URL(request.url).pathname}`);
  },
);

browserTest('a page of another origin sees why the gateway refused it', async () => {
  const failed = [{ field: '', message: 'error.sdk.authorization.failed' }];
  expect(await inBrowser('call', trackRequest({}, { authorization: 'Bearer wrong' }))).toMatchObject({
    status: 401,
    body: failed,
  });
  expect(await inBrowser('call', trackRequest({ userId: 'u' }))).toMatchObject({
    status: 400,
    body: [{ field: 'event' }],
  });
  expect(await inBrowser('call', { url: callbackUrl('open', { token: 'x' }) })).toMatchObject({
    status: 400,
    body: [{ field: 'token' }],
  });
});

browserTest('page and service worker report push interactions', async () => {
  const notification = await aNotification();
  const { token } = notification;
  const click = callbackUrl('click', { token, url: 'https://shop.example/sale', button: '1' });
  const event = { anonymousId: 'a-1', event: 'bb_notification_clicked', properties: { id: token, actionId: 'buy' } };
  const answers = [
    await inBrowser('callInWorker', { url: callbackUrl('delivered', { token }) }),
    await inBrowser('callInWorker', { url: click, keepalive: true }),
    await inBrowser('callInWorker', trackRequest(event)),
    await inBrowser('call', { url: callbackUrl('close', { token }), credentials: 'omit' }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const rows = await eventually(async () => {
    const interactions = await readInteractions(notification, 3);
    expect(interactions[0]?.['reported_by']).toEqual(['callback', 'event']);
    return interactions;
  });
  expect(rows.map(({ interaction }) => interaction)).toEqual(['clicked', 'closed', 'delivered']);
  expect(rows[0]).toMatchObject({ url: 'https://shop.example/sale', button: 1, action_id: 'buy', anonymous_id: 'a-1' });
});

browserTest('a page of another origin requests ads', async () => {
  const answer = await inBrowser('call', {
    url: `${local().gateway.url}/api/rtb/ad`,
    method: 'POST',
    body: '{"imp":[]}',
    headers: { 'content-type': 'application/json' },
  });
  expect(answer).toMatchObject({ status: 204, body: '' });
});

browserTest('a prefetch by the browser does not count as an interaction', async () => {
  const notification = await aNotification();
  const { token } = notification;
  expect(await page.evaluate((url) => window.prefetch(url), callbackUrl('delivered', { token }))).toBe('failed');
  expect(await inBrowser('call', { url: callbackUrl('open', { token }) })).toMatchObject({ status: 200 });
  expect(await readInteractions(notification, 1)).toMatchObject([{ interaction: 'opened' }]);
});
