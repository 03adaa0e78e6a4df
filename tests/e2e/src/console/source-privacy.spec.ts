import { type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answers } from './fixtures.js';
import { StubServer } from './stub-server.js';
import { StubbedPage } from './stubbed-page.js';
import { type WatchedPage } from './watched-page.js';

describe('the settings of a source', () => {
  const server = new StubServer(answers);
  let stubbed: StubbedPage;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    stubbed = await StubbedPage.open(server);
    ({ watched, page } = stubbed);
  });
  afterEach(() => expect(watched.complaints.splice(0)).toEqual([]));
  afterAll(() => stubbed.close());

  /** The body of the PUT that `act` sends to a path. */
  const bodyOf = async (path: string, act: () => Promise<void>): Promise<unknown> => {
    const request = page.waitForRequest((one) => one.method() === 'PUT' && one.url().endsWith(path));
    await act();
    return (await request).postDataJSON() as unknown;
  };

  it('show the rules of its fields, and send all of them when one is changed', async () => {
    await watched.goto('/sources/Ab3dEf6hIj9k?tab=privacy');
    expect(await page.getByLabel('Field 2', { exact: true }).inputValue()).toBe('traits.email');
    await page.getByRole('button', { name: 'Remove the rule of context.ip' }).click();
    await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByLabel('Field 3', { exact: true }).fill('context.device.id');
    await page.getByLabel('Rule of field 3').selectOption('hash');
    await page.getByLabel('Purpose that a message must grant').fill('');
    const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
    expect(await bodyOf('/privacy', save)).toEqual({
      rules: [
        { path: 'traits.email', rule: 'hash' },
        { path: 'properties.card.number', rule: 'drop' },
        { path: 'context.device.id', rule: 'hash' },
      ],
      requireConsent: null,
    });
    await page.getByText('It applies to new messages within a second.').waitFor();
  });

  it('show the host and the write key of clients of Segment, and switch them off', async () => {
    await watched.goto('/sources/Ab3dEf6hIj9k?tab=setup');
    await page.getByText('Ab3dEf6hIj9k_YOUR_API_KEY').waitFor();
    const change = () => page.getByRole('switch').click();
    expect(await bodyOf('/segment', change)).toEqual({ segment: 'off' });
  });
});
