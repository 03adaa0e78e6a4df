import { type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answers, refusal } from './fixtures.js';
import { StubServer } from './stub-server.js';
import { StubbedPage } from './stubbed-page.js';
import { WatchedPage } from './watched-page.js';

const unreachable = { isUnreachable: true, since: '2026-11-23T06:58:00.000Z', reason: 'no answer within 1 s' };
const here = { isUnreachable: false, since: null, reason: null };

describe('what people do in the console', () => {
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

  it('says which server is unreachable and since when, and is never blank', async () => {
    await watched.goto('/sources');
    server.change({ servers: { kafka: here, clickhouse: unreachable }, 'GET /api/overview': undefined });
    await page.getByText('ClickHouse is not responding,').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.getByText('This cannot be loaded right now').first().waitFor();
    await page.getByRole('list', { name: 'Verdicts' }).waitFor();
  });

  it.each(['en-US@posix', '', 'C', 'fa-IR'])(
    'shows charts and times to a browser of the language "%s"',
    async (language) => {
      const other = await WatchedPage.open(stubbed.browser, stubbed.origin);
      await other.page.addInitScript(
        (tag) => Object.defineProperty(navigator, 'language', { get: () => tag }),
        language,
      );
      await other.goto('/?tz=local');
      await other.page.locator('.chart canvas').first().waitFor();
      expect(await other.page.locator('.chart-at').first().innerText()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d /);
      expect(other.complaints).toEqual([]);
      await other.context.close();
    },
  );

  it('keeps the zone in the address, from page to page', async () => {
    await watched.goto('/pipeline');
    await page.getByRole('button', { name: 'UTC' }).click();
    await page.waitForURL('**/pipeline?tz=local');
    await page.getByRole('link', { name: 'Ledger', exact: true }).click();
    await page.waitForURL('**/pipeline/ledger?tz=local');
    await page.getByRole('button', { name: 'Local' }).click();
    await page.waitForURL((url) => url.search === '');
  });

  it('finds a request by its id, with the keyboard alone', async () => {
    await watched.goto('/');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type(refusal.requestId);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/requests/${refusal.requestId}`);
    await page.getByText('Message 1 of events').waitFor();
  });

  it('finds the events of a user by searching, and keeps the open one in the address', async () => {
    await watched.goto('/pipeline');
    await page.keyboard.press('/');
    await page.keyboard.type('user-1');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Results' }).getByRole('link', { name: 'user-1' }).click();
    await page.waitForURL('**/events?user=user-1');
    const rows = page.getByRole('table', { name: 'Stored messages, newest first' });
    await rows.getByRole('row').nth(2).getByRole('link').first().click();
    await page.waitForURL(/id=tracking/);
    await page.reload();
    await page.getByRole('dialog').getByText('tracking.track.v1, partition 0, offset 1').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await page.waitForURL('**/live?user=user-1');
  });

  it('goes straight to the only thing that a search finds', async () => {
    const found = answers['GET /api/search'];
    server.change({ 'GET /api/search': { hits: found?.hits.slice(0, 1) ?? [], problems: [] } });
    await watched.goto('/search?q=corner');
    await page.waitForURL('**/sources/Ab3dEf6hIj9k');
  });

  it('replays dead letters after a dry run, and says what became of them', async () => {
    await watched.goto('/dead-letters');
    await page.getByRole('button', { name: 'Replay the newest 1,000' }).click();
    await page.getByText('are damaged and cannot be replayed').waitFor();
    await page.getByRole('button', { name: 'Replay 1', exact: true }).click();
    await page.getByText('1 replayed').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  });

  it('dismisses a dead letter with a reason', async () => {
    await watched.goto('/dead-letters/tracking.track.v1:3:12@1763877000000');
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
    const dismiss = page.getByRole('dialog').getByRole('button', { name: 'Dismiss' });
    expect(await dismiss.isDisabled()).toBe(true);
    await page.getByLabel('Reason').fill('test data');
    const letter = answers['GET /api/dead-letters/:id'];
    const dismissed = { at: '2026-11-23T06:55:00.000Z', by: 'ada', why: 'test data' };
    if (letter) server.change({ 'GET /api/dead-letters/:id': { ...letter, dismissed } });
    await dismiss.click();
    await page.getByText('by ada: test data').waitFor();
    expect(await page.getByRole('button', { name: 'Dismiss', exact: true }).count()).toBe(0);
  });

  it('dismisses all dead letters in steps, and shows how far it is', async () => {
    server.change({ 'POST /api/dead-letters/dismiss': { letters: 1_000, remaining: 4_000 } });
    await watched.goto('/dead-letters');
    await page.getByText('Newest first: 2 of 5,004, of 5,010 in all').waitFor();
    await page.getByRole('button', { name: 'Dismiss all 5,000' }).click();
    const dialog = page.getByRole('dialog', { name: 'Dismiss 5,000 dead letters?' });
    await dialog.getByLabel('Reason').fill('test data');
    await dialog.getByRole('button', { name: 'Dismiss' }).click();
    await dialog.getByText(/^\d+,000 dismissed, 4,000 to go$/).waitFor();
    server.change({ 'POST /api/dead-letters/dismiss': { letters: 4_000, remaining: 0 } });
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('dead letters dismissed.').waitFor();
  });

  it('shows older dead letters, page by page, and keeps page and filters in the address', async () => {
    await watched.goto('/dead-letters');
    await page.getByRole('button', { name: 'Older' }).click();
    await page.waitForURL('**/dead-letters?after=older');
    await page.getByLabel('Source', { exact: true }).fill('Ab3dEf6hIj9k');
    await page.getByLabel('Source', { exact: true }).press('Enter');
    await page.waitForURL('**/dead-letters?source=Ab3dEf6hIj9k');
    await page.getByRole('button', { name: 'Dismiss these 5,000' }).waitFor();
    expect(server.asked.some((url) => url.startsWith('/api/dead-letters?source=Ab3dEf6hIj9k'))).toBe(true);
  });

  it('finds a source by a part of its name, with the keyboard alone', async () => {
    await watched.goto('/events');
    await page.getByLabel('Source', { exact: true }).fill('ware');
    await page.getByRole('option', { name: 'Warehouse' }).waitFor();
    await expect.poll(() => server.asked.some((asked) => asked.includes('text=ware'))).toBe(true);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/source=Ab3dEf6hIj9k/);
    expect(await page.getByLabel('Source', { exact: true }).inputValue()).toBe('Corner shop');
    await page.reload();
    await expect.poll(() => page.getByLabel('Source', { exact: true }).inputValue()).toBe('Corner shop');
    await page.getByLabel('Source', { exact: true }).click();
    await page.getByRole('option', { name: 'All sources' }).click();
    await page.waitForURL((url) => !url.searchParams.has('source'));
  });

  it('shows thousands of sources in pages, and keeps page and filters in the address', async () => {
    const list = answers['GET /api/sources'];
    server.change({ 'GET /api/sources': { sources: list?.sources ?? [], found: 5_041, all: 5_041 } });
    await watched.goto('/sources?page=2');
    await page.getByText('Page 2 of 101').waitFor();
    expect(server.asked).toContainEqual(expect.stringMatching(/^\/api\/sources\?.*skip=50&/));
    await page.getByRole('button', { name: 'Next' }).click();
    await page.waitForURL(/page=3/);
    await page.getByLabel('Name or identifier').fill('corner');
    await page.waitForURL((url) => url.searchParams.get('text') === 'corner' && !url.searchParams.has('page'));
    await page.getByLabel('Status').selectOption('disabled');
    await page.waitForURL(/status=disabled/);
    await expect.poll(() => server.asked.at(-1)).toMatch(/text=corner&status=disabled/);
  });

  it('reads the entries of the audit log that follow the last one shown, also those of the same time', async () => {
    const [entry] = answers['GET /api/audit'] ?? [];
    if (!entry) throw new Error('the fixtures have no entry');
    const whole = Array.from({ length: 200 }, (_, i) => ({ ...entry, id: `id-${i}` }));
    server.change({ 'GET /api/audit': whole });
    await watched.goto('/settings?tab=audit&kind=changes');
    server.asked.splice(0);
    await page.getByRole('button', { name: 'Show older entries' }).click();
    await expect.poll(() => server.asked.find((one) => one.includes('beforeId=id-199'))).toContain('kind=changes');
    expect(await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href')).toBe(
      '/api/audit/export?kind=changes',
    );
  });

  it('says how far the check of a ledger is', async () => {
    server.change({ 'GET /api/pipeline/ledger': 'late' });
    await page.goto('/pipeline/ledger?topic=tracking.track.v1&from=2026-11-23T06:00:00Z&to=2026-11-23T07:00:00Z');
    await page.getByText('Step 2 of 4: counting rows').waitFor();
    server.change(answers);
    await page.getByText('Does not add up', { exact: true }).waitFor();
  });

  it('shows no rows of another filter when the request fails', async () => {
    await watched.goto('/refused');
    await page.getByRole('table', { name: 'Refused requests that were kept' }).waitFor();
    server.change({ 'GET /api/refused': undefined });
    await page.getByRole('button', { name: '6h', exact: true }).click();
    await page.getByText('As of').first().waitFor();
    expect(await page.getByRole('table', { name: 'Refused requests that were kept' }).count()).toBe(1);
    await page.goto('/events');
    await page.getByText('cart_filled').first().waitFor();
    server.change({ 'GET /api/events': undefined });
    await page.getByLabel('User or anonymous id').fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('This cannot be loaded right now').waitFor();
    expect(await page.getByText('cart_filled').count()).toBe(0);
  });

  it('sends an edited letter back only after its content was checked', async () => {
    await watched.goto('/dead-letters/tracking.track.v1:3:12@1763877000000');
    await page.getByRole('button', { name: 'Edit and replay' }).click();
    const send = page.getByRole('button', { name: 'Replay', exact: true }).last();
    await page.getByLabel('Content of the message, JSON').waitFor();
    expect(await send.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('events accepts it').waitFor();
    await send.click();
    await page.getByText('Replayed', { exact: true }).waitFor();
  });

  it('shows a new key once, and asks before one is revoked', async () => {
    await watched.goto('/sources/Ab3dEf6hIj9k?tab=keys');
    await page.getByRole('button', { name: 'Issue a key' }).click();
    await page.getByRole('button', { name: 'Issue key' }).click();
    const key = answers['POST /api/sources/:id/keys']?.apiKey ?? '';
    await page.getByText(key, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText(key, { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Revoke 9a8b7c6d' }).click();
    await page.getByText('This is the last valid key').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  it('says the zone of times in a row, and which rule of the plan its message breaks', async () => {
    await watched.goto(`/requests/${refusal.requestId}`);
    const stored = page.getByRole('group', { name: 'Stored row' }).first();
    await stored.getByText('2026-11-23 06:50:00.123 UTC').waitFor();
    await stored.getByText('= 2026-11-23 06:50:00.000 UTC').waitFor();
    const violations = page.getByRole('region', { name: 'Violations of the plan' }).first();
    await violations.getByText('The value has none of the types.').waitFor();
  });

  it('does not call letters absent that the console has not read yet, and names those that it does not list', async () => {
    const whole = answers['GET /api/dead-letters'];
    if (!whole) throw new Error('no letters');
    server.change({ 'GET /api/dead-letters': { ...whole, letters: [], found: 0, all: 0, isPartial: true } });
    await watched.goto('/dead-letters');
    await page.getByText('others are still missing here').waitFor();
    expect(await page.getByText('There are no dead letters').count()).toBe(0);
    server.change({ 'GET /api/dead-letters': { ...whole, unlisted: 12_345, unlistedUntreated: 45 } });
    await page.getByText('too many to be listed here; 45 of them are untreated.').waitFor();
    await page.getByRole('button', { name: 'Dismiss the 45 oldest' }).waitFor();
    await page.getByRole('link', { name: 'Search the oldest, too' }).click();
    await page.getByRole('link', { name: 'Back to the newest' }).waitFor();
    expect(server.asked.at(-1)).toContain('older=yes');
  });

  it('shows the settings of a source before ClickHouse has answered', async () => {
    server.change({ 'GET /api/sources/:id': 'late' });
    await watched.goto('/sources/Ab3dEf6hIj9k?tab=keys');
    await page.getByRole('button', { name: 'Issue a key' }).waitFor();
    await page.getByRole('link', { name: 'Limits and origins' }).click();
    expect(await page.getByLabel('Requests per second').inputValue()).toBe('50');
  });

  it('shows the key of a new source until it is copied or dismissed, also on other pages', async () => {
    const key = answers['POST /api/sources']?.apiKey ?? '';
    const create = async (): Promise<void> => {
      await watched.goto('/sources?new=yes');
      await page.getByLabel('Name').fill('Corner shop');
      await page.keyboard.press('Enter');
      await page.getByRole('group', { name: 'API key' }).getByText(key, { exact: true }).waitFor();
    };
    await create();
    await page.getByRole('link', { name: 'Pipeline' }).click();
    await page.getByRole('dialog', { name: 'The key of Corner shop' }).getByText(key, { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('dialog').getByText(key, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await create();
    await page.getByRole('button', { name: 'Copy key' }).click();
    await page.getByRole('link', { name: 'Pipeline' }).click();
    await page.getByRole('heading', { name: 'Pipeline', level: 1 }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('begins the next source with the settings of the one before', async () => {
    await watched.goto('/sources?new=yes');
    await page.getByLabel('Name').fill('Corner shop');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create another source' }).click();
    await page.getByRole('dialog', { name: 'The key of Corner shop' }).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    expect(await page.getByLabel('Type').inputValue()).toBe('web-sdk');
    expect(await page.getByLabel('Origins whose pages may send').inputValue()).toBe('https://shop.example');
  });

  it('pauses the live rows, and opens one', async () => {
    await watched.goto('/live');
    await page.getByText('order_completed').first().waitFor();
    await page.keyboard.press('Space');
    await page.getByText('Paused').waitFor();
    await page.getByRole('list', { name: 'Messages, newest first' }).getByText('order_completed').first().click();
    await page.getByRole('dialog').getByText('tracking.track.v1, partition 0').waitFor();
    await page.waitForURL(/id=tracking/);
  });

  it('goes to a saved view, and saves one', async () => {
    await watched.goto('/pipeline');
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('menuitem', { name: 'Refused by the shop' }).click();
    await page.waitForURL('**/refused?source=Ab3dEf6hIj9k');
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('menuitem', { name: 'Manage views' }).click();
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

  it('shows a range of time that is dragged on a chart, or entered as two times', async () => {
    await watched.goto('/');
    const canvas = page.locator('.u-over').first();
    await canvas.scrollIntoViewIfNeeded();
    const { x, y, width } = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    await page.mouse.move(x + width / 4, y + 50);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + 60, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/from=.*to=/);
    const { searchParams } = new URL(page.url());
    const seconds = (name: string): number => Date.parse(searchParams.get(name)?.replaceAll('"', '') ?? '') / 1_000;
    // A quarter of the hour that the chart of the test shows.
    expect(seconds('to') - seconds('from')).toBeGreaterThan(840);
    expect(seconds('to') - seconds('from')).toBeLessThan(960);

    await page.getByRole('group', { name: 'Time' }).getByRole('button').last().click();
    await page.getByLabel('From').fill('2026-11-22T10:00:00');
    await page.getByLabel('To', { exact: true }).fill('2026-11-22T09:00:00');
    expect(await page.getByRole('button', { name: 'Show' }).isDisabled()).toBe(true);
    await page.getByLabel('To', { exact: true }).fill('2026-11-22T11:00:00');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/2026-11-22T10/);
    await page.getByRole('button', { name: '1h', exact: true }).click();
    await page.waitForURL(/range=1h/);
    expect(page.url()).not.toContain('from=');
  });

  it('keeps what was typed when the session ends, until the same person has signed in again', async () => {
    const entered = answers['GET /api/session'];
    const signIn = { password: true, oidc: null };
    await watched.goto('/sources/Ab3dEf6hIj9k?tab=limits');
    const quota = page.getByLabel('Events per UTC day');
    await quota.fill('777');
    server.change({ 'GET /api/session': { user: null, signIn, version: '0.1.0' } });
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    const dialog = page.getByRole('dialog', { name: 'Sign in to Sluice' });
    await dialog.waitFor({ timeout: 90_000 });
    expect(await watched.axe()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.getByLabel('User', { exact: true }).fill('ada');
    await dialog.getByLabel('Password').fill('correct horse battery');
    server.change({ 'GET /api/session': entered, 'POST /api/session': entered });
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await quota.inputValue()).toBe('777');
  }, 120_000);

  it('asks a person without a session to sign in, and returns to the page afterwards', async () => {
    const signIn = { password: true, oidc: 'Example ID' };
    server.change({ 'GET /api/session': { user: null, signIn, version: '0.1.0' } });
    await page.goto('/sources?tz=local');
    await page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor();
    const provider = page.getByRole('link', { name: 'Continue with Example ID' });
    expect(await provider.getAttribute('href')).toBe('/api/session/oidc?to=%2Fsources%3Ftz%3Dlocal');
    await page.getByLabel('User', { exact: true }).fill('ada');
    await page.getByLabel('Password').fill('correct horse battery');
    const entered = answers['GET /api/session'];
    server.change({ 'GET /api/session': entered, 'POST /api/session': entered });
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sources?tz=local');
  });
});
