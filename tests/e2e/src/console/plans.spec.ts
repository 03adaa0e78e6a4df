import { type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answers } from './fixtures.js';
import { planAnswers } from './plans-fixture.js';
import { StubServer } from './stub-server.js';
import { StubbedPage } from './stubbed-page.js';
import { type WatchedPage } from './watched-page.js';

const observation = { since: '2026-11-20T06:00:00.000Z', judged: 9_632, violating: 1_204, share: 0.125 };
const differences = [{ path: 'events.login', before: null, after: '{}' }];

describe('the plans of a source', () => {
  const server = new StubServer(answers);
  let stubbed: StubbedPage;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    stubbed = await StubbedPage.open(server);
    ({ watched, page } = stubbed);
  });
  beforeEach(async () => {
    server.change(answers);
    await watched.goto('/sources/Ab3dEf6hIj9k?tab=plans');
  });
  afterEach(() => expect(watched.complaints.splice(0)).toEqual([]));
  afterAll(() => stubbed.close());

  it('show each violation with its share and a request that has it', async () => {
    const violations = page.getByRole('table', { name: 'Violations' });
    await violations.getByText('wrong_type:items[].').waitFor();
    await violations.getByText('12.5 %').waitFor();
    const link = violations.getByRole('link', { name: 'Newest' });
    expect(await link.getAttribute('href')).toBe('/requests/019aaf00-1c2d-7e3f-8a4b-5c6d7e8f9a0b');
    await page.getByRole('table', { name: 'Coverage' }).getByText('(identify)').waitFor();
  });

  it('are activated after a look at what changes, by mode', async () => {
    await page.getByRole('button', { name: 'Activate 1' }).click();
    const dialog = page.getByRole('dialog');
    const plan = dialog.getByRole('region', { name: 'The plan', exact: true });
    await plan.getByText('Compared with version 2, which is active: 1 event added').waitFor();
    await plan.getByText('string, optional').first().waitFor();
    const candidate = dialog.getByRole('region', { name: 'The candidate', exact: true });
    await candidate.getByText('Compared with version 1: 1 event added').waitFor();
    expect(await dialog.getByLabel('Candidate').getByRole('option').allInnerTexts()).toEqual([
      'none',
      'Version 3',
      'Version 2',
    ]);
    server.change({
      'GET /api/sources/:id/plans/preview': {
        differences,
        candidateDifferences: [],
        observation: { ...observation, isLongEnough: false },
      },
    });
    await dialog.getByLabel('Mode').selectOption('drop');
    await dialog.getByText('1,204 of 9,632 messages of the last 7 days (12.50 %) would lose values').waitFor();
    await dialog.getByLabel('Mode').selectOption('refuse');
    await dialog.getByText('1,204 of 9,632 messages of the last 7 days (12.50 %) would be refused.').waitFor();
    await dialog.getByText('A plan may refuse after seven days of observation.').waitFor();
    const asked = server.asked.findLast((path) => path.includes('/plans/preview?'));
    expect(asked).toBe('/api/sources/Ab3dEf6hIj9k/plans/preview?versions=1&mode=refuse&candidate=3');
    const activate = dialog.getByRole('button', { name: 'Activate', exact: true });
    expect(await activate.isDisabled()).toBe(true);
    await dialog.getByLabel('Mode').selectOption('drop');
    await activate.click();
    await page.getByText('It is in force within two seconds.').waitFor();
  });

  it('are not compared with an active plan where there is none', async () => {
    const plans = planAnswers('')['GET /api/sources/:id/plans'];
    server.change({ 'GET /api/sources/:id/plans': { ...plans, versions: [], mode: null } });
    await page.getByRole('button', { name: 'Activate 1' }).click();
    await page.getByRole('dialog').getByText('No plan is active now').waitFor();
  });

  it('are read event by event, and compared with another version', async () => {
    await page.getByRole('link', { name: 'Version 3' }).click();
    await page.waitForURL(/[?&]plan=3(&|$)/);
    await page.getByRole('button', { name: 'order_completed' }).click();
    const properties = page.getByRole('table', { name: 'Properties of order_completed' });
    await properties.getByText('at least 0').waitFor();
    expect(await properties.getByRole('row').nth(1).innerText()).toContain('required');
    await page.getByLabel('Event or property').fill('total');
    await expect.poll(() => server.asked.at(-1)).toContain('/plans/versions/3?text=total&skip=0');

    await page.getByLabel('Compared with').selectOption('2');
    const differences = page.getByRole('region', { name: 'Differences from version 2' });
    await differences.getByText('1 event added, 1 removed, 1 changed.').waitFor();
    expect(await differences.locator('del').first().innerText()).toContain('observe');
    await differences.getByText('string, optional').first().waitFor();
    await page.getByRole('link', { name: 'All plans of this source' }).click();
    await page.getByRole('table', { name: 'Plans of this source' }).waitFor();
  });

  it('say on their page where they are active, and are activated there', async () => {
    await watched.goto('/sources/Ab3dEf6hIj9k?tab=plans&plan=3');
    const facts = page.locator('.facts').first();
    await facts.getByText('It only observes, and changes nothing.').waitFor();
    const otherSources = (await facts.getByRole('listitem').allInnerTexts()).map((text) =>
      text.replaceAll(/\s+/g, ' '),
    );
    expect(otherSources).toEqual([expect.stringContaining('Active in mode drop'), 'Warehouse Not active']);
    await page.getByRole('button', { name: 'Activate version 3' }).click();
    const dialog = page.getByRole('dialog', { name: 'Activate version 3?' });
    // An activated version is no longer the candidate.
    const findPreview = () => server.asked.findLast((path) => path.includes('/plans/preview?'));
    await expect.poll(findPreview).toContain('/plans/preview?versions=3&mode=observe');
    expect(findPreview()).not.toContain('candidate=');
    await dialog.getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByText('It is in force within two seconds.').waitFor();
    const view = answers['GET /api/sources/:id/plans/versions/:version'];
    const [use] = view?.uses ?? [];
    if (!view || !use) throw new Error('no version');
    const uses = [{ ...use, state: 'active' as const, mode: 'drop' as const, versions: [3], candidate: null }];
    server.change({ 'GET /api/sources/:id/plans/versions/:version': { ...view, uses } });
    await facts.getByText('in mode drop, since').waitFor();
    await facts.getByText('Properties that do not fit are left out.').waitFor();
    await page.getByRole('button', { name: 'Change its mode' }).waitFor();
  });

  it('are imported from a file, after a look at what it changes', async () => {
    await page.getByRole('button', { name: 'Import a plan' }).click();
    const dialog = page.getByRole('dialog');
    const take = dialog.getByRole('button', { name: 'Import', exact: true });
    expect(await take.isDisabled()).toBe(true);
    const choose = (content: string): Promise<void> =>
      dialog
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'plan.json', mimeType: 'application/json', buffer: Buffer.from(content) });
    await choose('{');
    await dialog.getByText('The file is not JSON').waitFor();
    await dialog.getByLabel('Form of the file').selectOption('segment');
    await choose('{ "rules": [] }');
    await dialog.getByText('Version 4 will be written for Ab3dEf6hIj9k.').waitFor();
    await dialog.getByText('Compared with version 3: 1 event added, 1 removed, 1 changed.').waitFor();
    expect(await watched.axe()).toEqual([]);
    await take.click();
    await page.getByText('Version 4 was imported. It is not active yet.').waitFor();
    await page.waitForURL(/[?&]plan=4(&|$)/);
  });

  it('say that nothing is known while ClickHouse is unreachable', async () => {
    server.change({
      'GET /api/sources/:id/plans/violations': undefined,
      'GET /api/sources/:id/plans/coverage': undefined,
    });
    await page.reload();
    await page.getByRole('link', { name: 'Version 2' }).waitFor();
    expect(await page.getByText('This cannot be loaded right now').count()).toBe(2);
  });
});
