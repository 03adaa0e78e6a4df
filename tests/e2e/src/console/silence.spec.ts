import { type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answers } from './fixtures.js';
import { StubServer } from './stub-server.js';
import { StubbedPage } from './stubbed-page.js';
import { WatchedPage } from './watched-page.js';

describe('the silence of the console', () => {
  const server = new StubServer(answers);
  let stubbed: StubbedPage;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    stubbed = await StubbedPage.open(server);
  });
  beforeEach(async () => {
    server.change(answers);
    server.isSilent = false;
    watched = await WatchedPage.open(stubbed.browser, stubbed.origin);
    ({ page } = watched);
  });
  afterEach(async () => {
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });
  afterAll(() => stubbed.close());

  it('says within 15 s that the console hangs, greys its verdicts, and recovers by itself', async () => {
    await watched.goto('/');
    const verdicts = page.getByRole('list', { name: 'Verdicts' });
    await verdicts.waitFor();
    const before = (await verdicts.textContent()) ?? '';
    expect(before).toContain('OK');
    // The process stands still: its connections stay open.
    server.isSilent = true;
    await page.getByText('The console is not responding. Retrying…').first().waitFor({ timeout: 15_000 });
    await page.getByText('As of').first().waitFor();
    expect(await verdicts.textContent()).toContain('Was OK');
    expect(await watched.axe()).toEqual([]);
    server.isSilent = false;
    await page
      .getByText('The console is not responding. Retrying…')
      .first()
      .waitFor({ state: 'detached', timeout: 15_000 });
    await page.getByText('Was OK').waitFor({ state: 'detached' });
    expect(await verdicts.textContent()).toBe(before);
  }, 60_000);

  it('after the sleep of a laptop, verdicts of before it are not those of now', async () => {
    await page.clock.install();
    await watched.goto('/');
    const verdicts = page.getByRole('list', { name: 'Verdicts' });
    await verdicts.waitFor();
    expect(await verdicts.textContent()).not.toContain('Was ');
    server.isSilent = true;
    // Timers stand still in a sleep; the clock does not.
    await page.clock.setSystemTime(Date.now() + 3_600_000);
    await page.getByText('Was OK').waitFor({ timeout: 4_000 });
    server.isSilent = false;
    await page.getByText('Was OK').waitFor({ state: 'detached', timeout: 20_000 });
  });

  it('a clock that is set back hides no silence', async () => {
    await page.clock.install();
    await watched.goto('/');
    await page.getByRole('list', { name: 'Verdicts' }).waitFor();
    server.isSilent = true;
    await page.clock.setSystemTime(Date.now() - 3_600_000);
    await page.getByText('Was OK').waitFor({ timeout: 15_000 });
    server.isSilent = false;
    await page.getByText('Was OK').waitFor({ state: 'detached', timeout: 20_000 });
  }, 60_000);

  it.each([-600_000, 600_000])('ages are those of the server when the clock is wrong by %i ms', async (wrongMs) => {
    const overview = answers['GET /api/overview'];
    const sources = overview?.sources.map((source) => ({ ...source, newestReceived: new Date().toISOString() })) ?? [];
    server.change({ ...answers, ...(overview && { 'GET /api/overview': { ...overview, sources } }) });
    await page.clock.install({ time: Date.now() + wrongMs });
    await watched.goto('/');
    const rows = page.getByRole('table', { name: 'Freshness of each source' }).getByRole('row');
    const age = rows.nth(1).getByRole('cell').nth(2);
    await expect.poll(() => age.innerText()).toMatch(/^(?:just now|\d+ s ago)$/);
    await expect.poll(() => age.innerText(), { timeout: 15_000 }).toMatch(/^\d+ s ago$/);
  });

  it('calls without an answer end, and say so', async () => {
    await page.clock.install();
    server.change({ 'GET /api/sources': 'late' });
    await page.goto('/sources');
    await page.locator('h1').waitFor();
    const text = page.getByText('This cannot be loaded right now');
    await expect
      .poll(
        async () => {
          await page.clock.fastForward(31_000);
          return text.count();
        },
        { timeout: 20_000 },
      )
      .toBe(1);
    server.change(answers);
    await page.getByRole('table', { name: 'Sources' }).waitFor({ timeout: 15_000 });
  });
});
