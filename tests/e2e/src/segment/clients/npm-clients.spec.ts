import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as Segment from '@segment/analytics-next';
import { eventually, launchChromium } from '@sluice/testing';
import { beforeAll, expect, it } from 'vitest';
import { local, select } from '../../stack.js';
import { createSegmentSource, type SegmentSource } from '../write-key.js';
import { expectAllStored, runThroughFaults } from './published-client.js';

let source: SegmentSource;
let web: SegmentSource;
beforeAll(async () => {
  source = await createSegmentSource();
  web = await createSegmentSource('web-sdk');
});

it('every message of @segment/analytics-node is stored once, though its gateway is killed twice', async () => {
  const [userId, count] = [randomUUID(), 1_000];
  const program = fileURLToPath(new URL('programs/analytics-node.mjs', import.meta.url));
  const client = { command: process.execPath, args: [program] };
  await runThroughFaults(client, { source, userId, count }, { pausesKafka: false });
  await expectAllStored(userId, count);
  expect.hasAssertions();
});

declare global {
  /** The global of the bundle of analytics-next. */
  var AnalyticsNext: typeof Segment;
}

/** A site with analytics-next as npm has it, and a page that loads it from there. */
async function openShop(): Promise<{ url: string; close: () => void }> {
  const page = '<!doctype html><title>Shop</title><script src="/analytics/index.js"></script>';
  const main = createRequire(import.meta.url).resolve('@segment/analytics-next');
  const files = join(dirname(main), '..', 'umd');
  const server = createServer(({ url = '/' }, response) => {
    const name = /^\/analytics\/([\w.-]+\.js)$/.exec(url)?.[1];
    if (name === undefined) response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    else response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(join(files, name)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

it('a page with @segment/analytics-next sends every call, with the settings of the gateway', async () => {
  const userId = randomUUID();
  const shop = await openShop();
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(shop.url);
    await page.evaluate(
      async ({ userId, ...settings }) => {
        const [analytics] = await AnalyticsNext.AnalyticsBrowser.load(settings);
        await analytics.identify(userId, { plan: 'pro' });
        await analytics.page('Home');
        await analytics.screen('Cart');
        await analytics.group('g-1', { seats: 3 });
        await analytics.track('Order Completed', { n: 1 });
        await analytics.alias(userId, `${userId}-before`);
      },
      { userId, writeKey: web.writeKey, cdnURL: local().gateway.url },
    );
    await eventually(async () => {
      const events =
        'SELECT event, user_agent LIKE {browser:String} AS ours FROM events FINAL WHERE user_id = {userId:String} ORDER BY event';
      expect(await select(events, { userId, browser: 'Mozilla/%' })).toEqual(
        ['Order Completed', 'group', 'page', 'screen'].map((event) => ({ event, ours: 1 })),
      );
      const people = 'SELECT count() AS rows FROM identifies FINAL WHERE user_id = {userId:String}';
      expect(await select(people, { userId })).toEqual([{ rows: 2 }]);
    });
  } finally {
    await browser.close();
    shop.close();
  }
});
