import { launchChromium } from '@sluice/testing';
import { type Browser, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { answers, refusal } from './fixtures.js';
import { StubServer } from './stub-server.js';
import { WatchedPage } from './watched-page.js';

const patience = { timeout: 20_000, interval: 50 };
const away = { isAway: true, since: '2026-11-23T06:58:00.000Z', reason: 'no answer within 2 s' };
const here = { isAway: false, since: null, reason: null };

describe('what people do in the console', () => {
  const server = new StubServer(answers);
  let browser: Browser;
  let origin: string;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    browser = await launchChromium();
    origin = await server.start();
    watched = await WatchedPage.open(browser, origin);
    page = watched.page;
  });
  beforeEach(() => {
    server.change(answers);
  });
  afterEach(() => {
    expect(watched.complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  it('says which server is away and since when, and is never blank', async () => {
    await watched.goto('/sources');
    server.change({ 'GET /api/servers': { kafka: here, clickhouse: away }, 'GET /api/overview': undefined });
    await page.getByText('ClickHouse is away').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.getByText('This cannot be read now').first().waitFor();
    await page.getByRole('list', { name: 'Verdicts' }).waitFor();
  });

  it('shows numbers in place of lines in a browser whose language the library of charts does not take', async () => {
    const other = await WatchedPage.open(browser, origin);
    await other.page.addInitScript("Object.defineProperty(navigator, 'language', { get: () => 'en-US@posix' })");
    await other.goto('/');
    await other.page.getByRole('table', { name: 'Events per second' }).waitFor();
    expect(other.complaints).toEqual([]);
    await other.context.close();
  });

  it.each(['/', '/live', '/refused', '/sources', '/pipeline', '/dead-letters'])(
    'asks early for what %s asks, and for nothing else',
    async (path) => {
      const asked = async (isEarly: boolean): Promise<string[]> => {
        const other = await WatchedPage.open(browser, origin);
        const addresses = new Set<string>();
        other.page.on('request', (request) => addresses.add(request.url().replace(/^https?:\/\/[^/]+/, '')));
        await other.page.clock.setFixedTime('2026-11-23T07:00:00.000Z');
        if (!isEarly) await other.page.route('**/first.js', (route) => route.abort());
        await other.goto(path);
        await vi.waitFor(() => {
          expect(addresses).toContain('/api/views');
        }, patience);
        await other.context.close();
        return [...addresses].filter((one) => one.startsWith('/api/') && !one.includes('known=')).sort();
      };
      const early = await asked(true);
      expect(early).toContain('/api/session');
      expect(early).toEqual(await asked(false));
    },
  );

  it('keeps the zone in the address, from page to page', async () => {
    await watched.goto('/pipeline');
    await page.getByRole('button', { name: 'UTC' }).click();
    await page.waitForURL('**/pipeline?tz=local');
    await page.getByRole('link', { name: 'Ledger' }).click();
    await page.waitForURL('**/pipeline/ledger?tz=local');
    await page.getByRole('button', { name: 'Local' }).click();
    await page.waitForURL((url) => url.search === '');
  });

  it('finds a request by its id, with the keyboard alone', async () => {
    await watched.goto('/');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type(refusal.requestId);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/requests/${refusal.requestId}`);
    await page.getByText('Message 1 of events').waitFor();
  });

  it('replays dead letters after a dry run, and says what became of them', async () => {
    await watched.goto('/dead-letters');
    await page.getByRole('button', { name: 'Replay all' }).click();
    await page.getByText('are damaged and cannot go back').waitFor();
    await page.getByRole('button', { name: 'Replay 1', exact: true }).click();
    await page.getByText('1 replayed').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  });

  it('sends a mended letter back only after its content was checked', async () => {
    await watched.goto('/dead-letters/tracking.track.v1:3:12@1763877000000');
    await page.getByRole('button', { name: 'Mend' }).click();
    const send = page.getByRole('button', { name: 'Send it back' });
    await page.getByLabel('Content of the message, JSON').waitFor();
    expect(await send.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('events takes it').waitFor();
    await send.click();
    await page.getByText('Sent back', { exact: true }).waitFor();
  });

  it('shows a new key once, and asks before one is revoked', async () => {
    await watched.goto('/sources/Ab3dEf6hIj9k?tab=keys');
    await page.getByRole('button', { name: 'Issue a key' }).click();
    const key = answers['POST /api/sources/:id/keys']?.apiKey ?? '';
    await page.getByText(key).waitFor();
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByText(key).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Revoke 9a8b7c6d' }).click();
    await page.getByText('It is the last valid key').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  it('pauses the live rows, and opens one', async () => {
    await watched.goto('/live');
    await page.getByText('order_completed').first().waitFor();
    await page.keyboard.press('Space');
    await page.getByText('Paused').waitFor();
    await page.getByRole('list', { name: 'Messages, newest first' }).getByText('order_completed').first().click();
    await page.getByRole('dialog').getByText('tracking.track.v1, partition 0').waitFor();
  });

  it('goes to a saved view, and saves one', async () => {
    await watched.goto('/pipeline');
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('menuitem', { name: 'Refused by the shop' }).click();
    await page.waitForURL('**/refused?source=Ab3dEf6hIj9k');
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('menuitem', { name: 'Save or remove views' }).click();
    await page.getByRole('button', { name: 'Remove Refused by the shop' }).waitFor();
    await page.getByLabel('Name of this view').fill('Late');
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('shows a chart as a table', async () => {
    await watched.goto('/');
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('columnheader', { name: 'Accepted, per second' }).waitFor();
  });

  it('asks who has no session to sign in, and comes back afterwards', async () => {
    const signIn = { password: true, oidc: null };
    server.change({ 'GET /api/session': { user: null, signIn, version: '0.1.0' } });
    await page.goto('/sources?tz=local');
    await page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor();
    await page.getByLabel('User', { exact: true }).fill('ada');
    await page.getByLabel('Password').fill('correct horse battery');
    const entered = answers['GET /api/session'];
    server.change({ 'GET /api/session': entered, 'POST /api/session': entered });
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sources?tz=local');
  });
});
