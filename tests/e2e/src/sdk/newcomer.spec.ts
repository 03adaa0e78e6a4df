import { readFileSync } from 'node:fs';
import { eventually, launchChromium } from '@sluice/testing';
import { type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { local, select } from '../stack.js';
import { expectOnce } from './client-page.js';
import { manifest, openSite, type Site } from './site.js';

let site: Site;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  site = await openSite();
  browser = await launchChromium();
  page = await browser.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.location().url.endsWith('favicon.ico')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
});
afterAll(async () => {
  await browser.close();
  site.close();
});

/** Addresses from which the page loaded scripts. */
const scripts = () =>
  page.evaluate(() => {
    const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    return resources.filter(({ initiatorType }) => initiatorType === 'script').map(({ name }) => name);
  });

it('the page of docs/sdk/web.md, with the bundle of the gateway, makes a row', async () => {
  const { gateway, source } = local();
  const guide = readFileSync(new URL('../../../../docs/sdk/web.md', import.meta.url), 'utf8');
  const [, example = ''] = /```html\n(.*?)```/s.exec(guide) ?? [];
  const body = example
    .replaceAll('https://HOST', gateway.url)
    .replaceAll('API_KEY', source.apiKey)
    .replaceAll('SOURCE_IDENTIFIER', source.sourceIdentifier)
    .replaceAll('page_view', 'newcomer_page_view');
  site.pages.set('/newcomer', { body: `<!doctype html><title>My shop</title>${body}` });
  await page.goto(`${site.url}/newcomer`);
  await expectOnce('newcomer_page_view', ['newcomer_page_view']);
  const [row] = await select(
    "SELECT properties.total AS total, context.page.title AS title, context.sdk.seq AS seq FROM events WHERE event = 'newcomer_page_view'",
  );
  expect(row).toEqual({ total: 49.9, title: 'My shop', seq: 0 });
  expect([await scripts(), complaints]).toEqual([[`${gateway.url}/sdk/0/sluice.js`], []]);
});

it('the gateway serves what `npm run build:sdk` made, and a page may pin a file by its hash', async () => {
  const { gateway, source } = local();
  const served = (await (await fetch(`${gateway.url}/sdk/manifest.json`)).json()) as typeof manifest;
  expect(served).toEqual(manifest);
  const { file = '', integrity = '' } = served.files['sluice.js'] ?? {};
  const body = `<!doctype html><script src="${gateway.url}/sdk/${file}" integrity="${integrity}" crossorigin="anonymous"
    data-api-key="${source.apiKey}" data-source-identifier="${source.sourceIdentifier}"></script>
    <script>sluice.track('newcomer_pinned')</script>`;
  site.pages.set('/pinned', { body });
  await page.goto(`${site.url}/pinned`);
  await expectOnce('newcomer_pinned', ['newcomer_pinned']);
  expect(complaints).toEqual([]);
});

it('the example shop of `npm start` tracks the page and the clicks, with the snippet of the gateway', async () => {
  const { gateway, shop, source } = local();
  await page.goto(shop.url);
  await page.click('button[data-product=lamp]');
  expect(await page.textContent('#basket')).toBe('In the basket: lamp.');
  const rows = await eventually(async () => {
    const rows = await select(
      `SELECT event, properties.product.:String AS product, properties.price.:Float64 AS price FROM events
        WHERE source_id = {source:String} AND context.page.url.:String = {url:String} ORDER BY timestamp`,
      { source: source.sourceIdentifier, url: shop.url },
    );
    expect(rows).toHaveLength(2);
    return rows;
  });
  expect(rows).toEqual([
    { event: 'page_view', product: null, price: null },
    { event: 'product_added', product: 'lamp', price: 49.9 },
  ]);
  expect(await scripts()).toContain(`${gateway.url}/sdk/0/snippet.js`);
  expect(complaints).toEqual([]);
});
