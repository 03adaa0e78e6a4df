import { type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answers } from './fixtures.js';
import { StubServer } from './stub-server.js';
import { StubbedPage } from './stubbed-page.js';
import { type WatchedPage } from './watched-page.js';

describe('changes of what arrives', () => {
  const server = new StubServer(answers);
  let stubbed: StubbedPage;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    stubbed = await StubbedPage.open(server);
    ({ watched, page } = stubbed);
  });
  beforeEach(() => server.change(answers));
  afterEach(() => expect(watched.complaints.splice(0)).toEqual([]));
  afterAll(() => stubbed.close());

  const known = answers['GET /api/watch'];
  const healthy = { ...answers['GET /api/status'], problems: [] } as (typeof answers)['GET /api/status'];

  it('stand among the verdicts of the overview, which is not all OK then', async () => {
    await watched.goto('/');
    const verdicts = page.getByRole('list', { name: 'Verdicts' });
    await verdicts.getByText('5 changes of what arrives').waitFor();
    await verdicts.getByRole('link', { name: 'order_completed stopped with app 4.2.1' }).waitFor();
    expect(await verdicts.textContent()).not.toContain('All OK');
    server.change({ 'GET /api/watch': { run: known?.run ?? null, changes: [] }, 'GET /api/status': healthy });
    await watched.goto('/');
    await verdicts.waitFor();
    expect(await page.getByText('of what arrives').count()).toBe(0);
  });

  it('have a page that names the change, its first hour, and where its messages are', async () => {
    await watched.goto('/watch/1');
    expect(new URL(page.url()).pathname).toBe('/changes/1');
    expect(await page.locator('h1').innerText()).toBe('order_completed stopped');
    expect(await page.title()).toBe('order_completed stopped · Sluice');
    const facts = page.locator('.facts').first();
    expect(await facts.innerText()).toContain('2026-11-23 06:00:00 – 2026-11-23 07:00:00');
    // The shaded time has the length of its hours.
    expect(await page.locator('.chart-marks').innerText()).toContain('2026-11-23 06:00:00 – 2026-11-24 06:00:00');
    await page.getByText('It came with app 4.2.1. Ask whoever released that: was the event renamed').waitFor();
    await page.getByRole('link', { name: 'Its events' }).click();
    await page.waitForURL(/\/events\?/);
    const address = new URL(page.url()).searchParams;
    expect([address.get('source'), address.get('event')]).toEqual(['Ab3dEf6hIj9k', 'order_completed']);
  });

  it('are found under their name, also by the address of an earlier version', async () => {
    await watched.goto('/watch');
    expect(new URL(page.url()).pathname).toBe('/changes');
    expect(await page.locator('h1').innerText()).toBe('Changes');
    expect(await page.getByRole('navigation').locator('[aria-current=page]').innerText()).toBe('Changes');
  });
});
