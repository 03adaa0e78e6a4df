import { launchChromium } from '@sluice/testing';
import { type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { local, operator } from '../stack.js';
import { WatchedPage } from './watched-page.js';

let browser: Browser;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
  watched = await WatchedPage.open(browser, local().console.url);
  page = watched.page;
  page.setDefaultTimeout(30_000);
});

afterAll(() => browser.close());

/** Sends what the page's curl command says, with another body if one is given. */
async function sendSnippet(snippet: string, body?: object): Promise<number> {
  const [, url = ''] = /curl -X POST (\S+)/.exec(snippet) ?? [];
  const [, key = ''] = /Bearer ([^']+)/.exec(snippet) ?? [];
  const [, shown = ''] = /-d '([^']+)'/.exec(snippet) ?? [];
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: body ? JSON.stringify(body) : shown });
  await answer.arrayBuffer();
  return answer.status;
}

it('a newcomer makes a source, sees the first event stored, breaks one, learns why and edits it', async () => {
  // 1. The one-time link signs in.
  const { link } = await operator<{ link: string }>('console', 'invite', 'newcomer', '--role', 'admin', '--payloads');
  await page.goto(link);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  expect(page.url()).not.toContain('#');

  // 2. A source, by keyboard.
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.getByRole('button', { name: 'New source' }).press('Enter');
  await page.getByLabel('Name').fill('Corner shop');
  await page.keyboard.press('Enter');
  const snippet = (await page.getByRole('group', { name: 'First event with curl' }).textContent()) ?? '';
  await page.getByRole('button', { name: 'Copy key' }).click();
  await page.getByText('Waiting for your first event').waitFor();

  // 3. Its first event arrives and is stored. The gateway knows the new source within a second.
  await expect.poll(() => sendSnippet(snippet), { timeout: 10_000 }).toBe(200);
  const arrived = page.getByRole('list', { name: 'What has arrived' });
  await arrived.getByText('first_event').first().waitFor();
  await arrived.getByText('Stored').first().waitFor();

  // 4. A broken one is refused, and the page says which field.
  expect(await sendSnippet(snippet, { event: 'nobody' })).toBe(400);
  await arrived.getByRole('link', { name: 'Why' }).first().click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('userId').first().waitFor();

  // 5. It is tried as it was, edited, and tried again.
  await drawer.getByRole('link', { name: 'Edit and try again' }).click();
  const editor = page.getByRole('textbox', { name: 'Body, JSON' });
  await expect.poll(() => editor.textContent()).toContain('nobody');
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByText('it would be refused').waitFor();
  await editor.fill('{"event":"someone","userId":"user-1"}');
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByText('it would be accepted').waitFor();

  // 6. Sent for good, it appears live and becomes stored. The list shows one source: others would push the row out.
  const [, source = ''] = /\/sdk\/(\w+)\//.exec(snippet) ?? [];
  await page.goto(`/live?source=${source}`);
  await page.locator('[data-live="open"]').waitFor();
  const rows = page.getByRole('list', { name: 'Messages, newest first' });
  // The tap reads from the end of the topic, which it finds a moment after the stream is open.
  await expect
    .poll(
      async () => {
        await sendSnippet(snippet, { event: 'someone', userId: 'user-1' });
        return rows.getByText('someone').count();
      },
      { timeout: 20_000, interval: 500 },
    )
    .toBeGreaterThan(0);
  await rows.getByRole('button').filter({ hasText: 'someone' }).filter({ hasText: 'Stored' }).first().click();
  await page
    .getByRole('dialog')
    .getByRole('link', { name: /^[0-9a-f]{8}-/ })
    .click();
  await page.getByText('ClickHouse', { exact: true }).first().waitFor();
  expect(watched.complaints).toEqual([]);
});
