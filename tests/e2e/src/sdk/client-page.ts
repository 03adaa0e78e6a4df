import { eventually } from '@sluice/testing';
import { type BrowserContext, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { local, select } from '../stack.js';

/** Options of a client of the stack's source. */
export const clientOptions = (apiPath = local().gateway.url) => {
  const { apiKey, sourceIdentifier } = local().source;
  return { credentials: { apiKey, sourceIdentifier }, host: { apiPath } };
};

/** A page with a client. */
export async function openPage(context: BrowserContext, url: string, apiPath?: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await beginClient(page, apiPath);
  return page;
}

/** Makes the client of a page that has just been loaded. */
export const beginClient = (page: Page, apiPath?: string): Promise<void> =>
  page.evaluate((options) => {
    window.errors = [];
    sluice.createClient({ ...options, errorHandler: ({ code }) => window.errors.push(code) });
  }, clientOptions(apiPath));

/** Codes that errorHandler of the page's client received, without `unreachable`. */
export const readErrors = async (page: Page) =>
  (await page.evaluate(() => window.errors)).filter((code) => code !== 'unreachable');

/** Tracks events in the page; true if all were accepted. */
export const trackInPage = (page: Page, ...names: string[]): Promise<boolean> =>
  page.evaluate((events) => events.every((event) => sluice.track(event)), names);

export const dispatchOnline = (page: Page) => page.evaluate(() => dispatchEvent(new Event('online')));

/** Script of a context: without jitter, waits between tries are short. */
export function removeJitter(): void {
  Math.random = () => 0;
}

/** Waits until the events whose names begin with `prefix` are exactly these, each stored once. */
export const expectOnce = (prefix: string, names: readonly string[]): Promise<void> =>
  eventually(async () => {
    const query =
      'SELECT event, count() AS times FROM events WHERE startsWith(event, {prefix:String}) GROUP BY event ORDER BY event';
    const rows = await select(query, { prefix });
    expect(rows.map(({ event, times }) => [event, Number(times)])).toEqual([...names].sort().map((name) => [name, 1]));
  });
