import { type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answers } from './fixtures.js';
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
    await dialog.getByText('~ events.order_completed.properties.total.type').waitFor();
    await dialog.getByText('The candidate differs from this plan:').waitFor();
    await dialog.getByText('~ events.order_completed.required').waitFor();
    server.change({
      'GET /api/sources/:id/plans/preview': {
        differences,
        candidateDifferences: [],
        observation: { ...observation, isLongEnough: false },
      },
    });
    await dialog.getByLabel('Mode').selectOption('refuse');
    await dialog.getByText('1,204 of 9,632 messages of the last 7 days (12.50 %) would be refused.').waitFor();
    await dialog.getByText('A plan may refuse after seven days of observation.').waitFor();
    expect(server.asked.at(-1)).toBe('/api/sources/Ab3dEf6hIj9k/plans/preview?versions=1&mode=refuse&candidate=3');
    await dialog.getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByText('It is in force within two seconds.').waitFor();
  });

  it('say that nothing is known while ClickHouse is unreachable', async () => {
    server.change({
      'GET /api/sources/:id/plans': {
        plans: [],
        versions: [],
        mode: null,
        candidate: null,
        violations: null,
        coverage: null,
      },
    });
    await page.getByText('Violations cannot be loaded right now').waitFor({ timeout: 20_000 });
    await page.getByText('Coverage cannot be loaded right now').waitFor();
  });
});
