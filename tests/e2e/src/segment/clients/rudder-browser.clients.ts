import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually, fromNpm, launchChromium } from '@sluice/testing';
import { expect, it } from 'vitest';
import { local, select } from '../../stack.js';
import { createSegmentSource } from '../write-key.js';

const version = '3.34.1';

/** The bundle with all plugins, which a page has when it imports `@rudderstack/analytics-js/bundled`. */
const readBundle = (): string => {
  const folder = fromNpm(`clients/rudder-browser-${version}`, [`@rudderstack/analytics-js@${version}`]);
  return readFileSync(
    join(folder, 'node_modules/@rudderstack/analytics-js/dist/npm/modern/bundled/umd/index.js'),
    'utf8',
  );
};

interface RudderClient {
  load: (writeKey: string, host: string, options: object) => void;
  identify: (userId: string, traits: object) => void;
  page: (name: string) => void;
  group: (groupId: string, traits: object) => void;
  track: (event: string, properties: object) => void;
  alias: (userId: string, former: string) => void;
}
declare global {
  /** The global of the bundle. */
  var rudderanalytics: { RudderAnalytics: new () => RudderClient };
}

it('a page with @rudderstack/analytics-js sends every call, with the settings of the gateway', async () => {
  const source = await createSegmentSource('web-sdk');
  const [bundle, userId] = [readBundle(), randomUUID()];
  const site = createServer(({ url }, response) => {
    const isBundle = url === '/rudder.js';
    response.writeHead(200, { 'content-type': isBundle ? 'text/javascript' : 'text/html' });
    response.end(isBundle ? bundle : '<!doctype html><title>Shop</title><script src="/rudder.js"></script>');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const strangers: string[] = [];
    const shop = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    const host = local().gateway.url;
    page.on('request', (request) => {
      if (![shop, host].some((allowedUrl) => request.url().startsWith(allowedUrl))) strangers.push(request.url());
    });
    await page.goto(shop);
    await page.evaluate(
      ({ userId, writeKey, host }) => {
        const client = new rudderanalytics.RudderAnalytics();
        client.load(writeKey, host, { configUrl: host });
        client.identify(userId, { plan: 'pro' });
        client.page('Home');
        client.group('g-1', { seats: 3 });
        for (let n = 0; n < 20; n++) client.track('Order Completed', { n });
        client.alias(userId, `${userId}-before`);
      },
      { userId, writeKey: source.writeKey, host },
    );
    await eventually(async () => {
      const events = `SELECT event, count() AS rows, uniqExact(message_id) AS ids FROM events FINAL
        WHERE source_id = {source:String} GROUP BY event ORDER BY event`;
      expect(await select(events, { source: source.sourceIdentifier })).toEqual([
        { event: 'Order Completed', rows: 20, ids: 20 },
        { event: 'group', rows: 1, ids: 1 },
        { event: 'page', rows: 1, ids: 1 },
      ]);
      const people = 'SELECT count() AS rows FROM identifies FINAL WHERE user_id = {userId:String}';
      expect(await select(people, { userId })).toEqual([{ rows: 2 }]);
    }, 60_000);
    expect(strangers).toEqual([]);
  } finally {
    await browser.close();
    site.close();
  }
}, 180_000);
