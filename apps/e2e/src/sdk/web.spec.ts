import { setTimeout } from 'node:timers/promises';
import { type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, afterEach, expect, it, vi } from 'vitest';
import { local, select } from '../stack.js';
import { launchChromium, rendererIds } from './chromium.js';
import { openSite, type Site } from './site.js';

const patience = { timeout: 20_000, interval: 200 };

let site: Site;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  site = await openSite();
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  site.close();
});
beforeEach(async () => {
  context = await browser.newContext();
});
afterEach(async () => {
  await context.close();
});

const options = (more: object = {}): string => {
  const { gateway, source } = local();
  const { apiKey, sourceIdentifier } = source;
  return JSON.stringify({ credentials: { apiKey, sourceIdentifier }, host: { apiPath: gateway.url }, ...more });
};

/** A page with a client. */
async function openPage(path = '/', more: object = {}): Promise<Page> {
  const page = await context.newPage();
  await page.goto(site.url + path);
  await page.evaluate(
    `globalThis.errors = []; sluice.createClient({ ...${options(more)}, errorHandler: (error) => errors.push(error.code) }); 0`,
  );
  return page;
}

/** How often each event of this name or that begins so is in the table. */
async function stored(prefix: string): Promise<Record<string, number>> {
  const rows = await select(
    'SELECT event, count() AS times FROM events WHERE startsWith(event, {prefix:String}) GROUP BY event',
    {
      prefix,
    },
  );
  return Object.fromEntries(rows.map(({ event, times }) => [event as string, Number(times)]));
}

const once = (names: readonly string[]): Record<string, number> => Object.fromEntries(names.map((name) => [name, 1]));

const expectOnce = (prefix: string, names: readonly string[]): Promise<void> =>
  vi.waitFor(async () => {
    expect(await stored(prefix)).toEqual(once(names));
  }, patience);

it('an event of a page is a row, with what the page was', async () => {
  const page = await openPage('/?utm_source=mail&utm_campaign=spring');
  expect(await page.evaluate(`sluice.track('web_first', { total: 49.9 })`)).toBe(true);
  await expectOnce('web_first', ['web_first']);
  const [row] = await select(
    "SELECT properties.total AS total, context.sdk.name AS sdk, context.campaign.name AS campaign, context.page.path AS path FROM events WHERE event = 'web_first'",
    {},
  );
  expect(row).toEqual({ total: 49.9, sdk: '@sluice/web', campaign: 'spring', path: '/' });
  expect(await page.evaluate('errors')).toEqual([]);
});

it.each([0, 1, 5, 50])('a tab that is killed %d ms after `track` returned loses nothing', async (ms) => {
  const prefix = `web_kill_${ms}_`;
  const names: string[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const before = await rendererIds(browser);
    const page = await openPage();
    const name = `${prefix}${turn}`;
    names.push(name);
    // From then on nothing of the page runs any more, and the next moment it is gone.
    const stuck = `sluice.track('${name}'); setTimeout(() => { for (;;); }, ${ms})`;
    await page.evaluate(ms === 0 ? `setTimeout(() => { sluice.track('${name}'); for (;;); }, 20); 0` : `${stuck}; 0`);
    await setTimeout(ms + 200);
    for (const id of await rendererIds(browser)) if (!before.includes(id)) process.kill(id, 'SIGKILL');
    await page.close().catch(() => undefined);
  }
  await openPage();
  await expectOnce(prefix, names);
});
