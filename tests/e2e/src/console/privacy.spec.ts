import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { eventually, launchChromium } from '@sluice/testing';
import { type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { local, operator, post, select, type SourceCredentials } from '../stack.js';
import { WatchedPage } from './watched-page.js';

let browser: Browser;
let page: Page;
let source: SourceCredentials;
const user = `person-${randomUUID()}`;

beforeAll(async () => {
  source = await operator<SourceCredentials>('sources', 'create', '--name', 'Forgetful', '--type', 'tracking-api');
  await eventually(async () => expect((await send('first')).status).toBe(200));
  await send('second');
  await eventually(async () => expect(await stored()).toBe(2));
  browser = await launchChromium();
  ({ page } = await WatchedPage.open(browser, local().console.url));
  page.setDefaultTimeout(30_000);
});
afterAll(() => browser.close());

const send = (event: string) => post('track', { userId: user, event }, { source });
const stored = async (): Promise<number> =>
  (await select('SELECT 1 FROM events WHERE user_id = {user:String}', { user })).length;

it('a person is found and exported, their messages are dropped, and their erasure is requested', async () => {
  const { link } = await operator<{ link: string }>('console', 'invite', `dpo-${user.slice(7, 15)}`, '--privacy');
  await page.goto(link);
  await page.getByRole('link', { name: 'Privacy' }).click();

  // 1. Found by an id, which no address contains.
  await page.getByLabel('Source', { exact: true }).fill('forget');
  await page.getByRole('option', { name: 'Forgetful' }).click();
  await page.getByLabel('Id 1', { exact: true }).fill(user);
  await page.getByRole('button', { name: 'Look for the person' }).click();
  const found = page.getByRole('region', { name: 'The person' });
  await found.getByRole('table', { name: 'Rows of the person by source' }).getByText('2 events').waitFor();
  expect(page.url()).not.toContain(user);

  // 2. A copy first.
  const downloading = page.waitForEvent('download');
  await found.getByRole('button', { name: 'Export a copy' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^person-\d{4}-\d\d-\d\dT\d{6}\.zip$/);
  expect((await readFile(await download.path())).subarray(0, 2).toString()).toBe('PK');

  // 3. What they send is answered as ever, and not stored.
  await found.getByRole('button', { name: 'Drop their messages' }).click();
  const asking = page.getByRole('dialog', { name: 'Drop their messages?' });
  await asking.getByRole('button', { name: 'Cancel' }).click();
  await asking.waitFor({ state: 'detached' });
  await found.getByText('Dropped').waitFor({ state: 'detached' });
  await found.getByRole('button', { name: 'Drop their messages' }).click();
  await asking.getByRole('button', { name: 'Drop their messages' }).click();
  await found.getByText('Dropped').waitFor();
  await page.waitForTimeout(2_000);
  expect((await send('third')).status).toBe(200);

  // 4. The erasure is requested. The rows stay until the next run.
  await found.getByRole('button', { name: 'Erase…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Ticket').fill('PRIV-1042');
  expect(await dialog.getByRole('button', { name: 'Erase' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Type erase to confirm').fill('erase');
  await dialog.getByRole('button', { name: 'Erase' }).click();
  const row = page.getByRole('row').filter({ hasText: 'PRIV-1042' });
  await row.getByText('Requested').waitFor();
  const [request = ''] = /e-[\da-f-]+/.exec((await row.textContent()) ?? '') ?? [];
  await found.getByText('carries it on').waitFor();
  expect(await found.getByRole('button', { name: 'Erase…' }).count()).toBe(0);
  const statuses = await operator<{ request: string }[]>('privacy', 'status');
  expect(statuses.map((one) => one.request)).toContain(request);
  expect(await stored()).toBe(2);

  // 5. The actions are recorded without the id.
  await eventually(async () => {
    const actions = await select<{ operation: string; details: string }>(
      "SELECT operation, details FROM operator_actions WHERE operation LIKE 'privacy.%' AND face = 'console'",
    );
    const operations = actions.map(({ operation }) => operation);
    expect(operations).toEqual(expect.arrayContaining(['privacy.export', 'privacy.suppress', 'privacy.erase']));
    expect(JSON.stringify(actions)).not.toContain(user);
  });
});
