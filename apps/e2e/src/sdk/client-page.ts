import { eventually } from '@sluice/testing';
import { type BrowserContext, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { local, select } from '../stack.js';

/** Options of a client of the stack's source, as script text. */
export const optionsText = (apiPath = local().gateway.url): string => {
  const { apiKey, sourceIdentifier } = local().source;
  return JSON.stringify({ credentials: { apiKey, sourceIdentifier }, host: { apiPath } });
};

/** A page with a client; `errors` in it has the codes that its errorHandler received. */
export async function openPage(context: BrowserContext, url: string, apiPath?: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await begin(page, apiPath);
  return page;
}

/** Makes the client of a page that has just been loaded. */
export async function begin(page: Page, apiPath?: string): Promise<void> {
  await page.evaluate(`globalThis.errors = [];
    sluice.createClient({ ...${optionsText(apiPath)}, errorHandler: ({ code }) => code === 'unreachable' || errors.push(code) }); 0`);
}

/** Waits until the events whose names begin so are in the table, each once. */
export const expectOnce = (prefix: string, names: readonly string[]): Promise<void> =>
  eventually(async () => {
    const query =
      'SELECT event, count() AS times FROM events WHERE startsWith(event, {prefix:String}) GROUP BY event ORDER BY event';
    const rows = await select(query, { prefix });
    expect(rows.map(({ event, times }) => [event, Number(times)])).toEqual([...names].sort().map((name) => [name, 1]));
  });
