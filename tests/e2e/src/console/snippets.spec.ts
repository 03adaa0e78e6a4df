import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { launchChromium } from '@sluice/testing';
import { type Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { local, operator } from '../stack.js';
import { WatchedPage } from './watched-page.js';

// Every snippet that the console prints for a source is run as it is printed, as far as this machine can run it.

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const offered = {
  'tracking-api': ['curl', 'Node'],
  'web-sdk': ['Web', 'curl'],
  'android-sdk': ['Kotlin', 'React Native', 'curl'],
  'ios-sdk': ['Swift', 'React Native', 'curl'],
  'catalog-api': ['curl'],
} as const;
type Kind = (typeof offered)[keyof typeof offered][number];

let browser: Browser;
let watched: WatchedPage;
beforeAll(async () => {
  browser = await launchChromium();
  watched = await WatchedPage.open(browser, local().console.url);
  const { link } = await operator<{ link: string }>('console', 'invite', 'snippets', '--role', 'admin');
  await watched.page.goto(link);
  await watched.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
});
afterAll(() => browser.close());

const byCurl = async (snippet: string): Promise<void> => {
  const { stdout } = await run('sh', ['-c', `${snippet} -sS --fail-with-body`]);
  expect(JSON.parse(stdout)).toBeTypeOf('object');
};

/** Opens a page of another origin whose only content is the snippet. */
async function inPage(snippet: string): Promise<void> {
  const shop = createServer((_, answer) =>
    answer.setHeader('Content-Type', 'text/html').end(`<!doctype html>${snippet}`),
  );
  await once(shop.listen(0, '127.0.0.1'), 'listening');
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  try {
    const isSent = page.waitForResponse((answer) => answer.request().method() === 'POST');
    await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
    expect((await isSent).status()).toBe(200);
    expect(errors).toEqual([]);
  } finally {
    await page.close();
    shop.close();
  }
}

const runs: Partial<Record<Kind, (snippet: string) => Promise<unknown>>> = {
  curl: byCurl,
  Web: inPage,
  Node: (snippet) => run(process.execPath, ['--input-type=module', '--eval', snippet], { cwd: root, timeout: 20_000 }),
};

it.each(Object.entries(offered))(
  'what is printed for %s can be run, and its message arrives',
  async (type, kinds) => {
    const { page } = watched;
    const { sourceIdentifier, apiKey } = await operator<{ sourceIdentifier: string; apiKey: string }>(
      'sources',
      'create',
      '--name',
      `Snippets ${type}`,
      '--type',
      type,
    );
    await page.goto(`/sources/${sourceIdentifier}?tab=setup`);
    await page.getByText('Waiting for your first event').waitFor();
    const buttons = page.getByRole('group', { name: 'Way to send' }).getByRole('button');
    expect(kinds.length === 1 ? kinds : await buttons.allTextContents()).toEqual(kinds);
    for (const kind of kinds) {
      if (kinds.length > 1) await buttons.filter({ hasText: kind }).click();
      const printed = await page.getByRole('group', { name: `First event with ${kind}` }).textContent();
      const snippet = (printed ?? '').replaceAll('YOUR_API_KEY', apiKey);
      expect(snippet).toContain(apiKey);
      expect(snippet).toContain(sourceIdentifier);
      await runs[kind]?.(snippet);
    }
    const arrived = page.getByRole('list', { name: 'What has arrived' });
    const [name, count] =
      type === 'catalog-api' ? ['product', 1] : ['first_event', kinds.filter((kind) => kind in runs).length];
    await expect.poll(() => arrived.getByText(name, { exact: true }).count(), { timeout: 20_000 }).toBe(count);
    expect(watched.complaints).toEqual([]);
  },
  60_000,
);
