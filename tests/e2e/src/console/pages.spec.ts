import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answers, hostileText, refusal } from './fixtures.js';
import { StubServer } from './stub-server.js';
import { StubbedPage } from './stubbed-page.js';
import { type WatchedPage } from './watched-page.js';

const pictures = fileURLToPath(new URL('../../../../.data/console-pictures/', import.meta.url));

const pages: Record<string, string> = {
  overview: '/',
  live: '/live',
  events: '/events',
  event: '/events?id=tracking.track.v1:0:1',
  search: '/search?q=shop',
  request: `/requests/${refusal.requestId}`,
  changes: '/changes',
  change: '/changes/1',
  catalog: '/catalog',
  'catalog-issues': '/catalog?catalog=Qq1wEe2rTt3y&source=Ab3dEf6hIj9k&variant=lamp-1-white&product=lamp-1',
  refused: '/refused',
  'refused-sample': `/refused?id=${refusal.requestId}`,
  try: '/try',
  sources: '/sources',
  'new-source': '/sources?new=yes',
  source: '/sources/Ab3dEf6hIj9k',
  'source-setup': '/sources/Ab3dEf6hIj9k?tab=setup',
  'source-keys': '/sources/Ab3dEf6hIj9k?tab=keys',
  'source-limits': '/sources/Ab3dEf6hIj9k?tab=limits',
  'source-plans': '/sources/Ab3dEf6hIj9k?tab=plans',
  'source-plan': '/sources/Ab3dEf6hIj9k?tab=plans&plan=3&with=2',
  'source-privacy': '/sources/Ab3dEf6hIj9k?tab=privacy',
  pipeline: '/pipeline',
  runbooks: '/runbooks',
  runbook: '/runbooks/partitionstuck',
  ledger: '/pipeline/ledger?topic=tracking.track.v1&from=2026-11-23T06:00:00.000Z&to=2026-11-23T07:00:00.000Z',
  'dead-letters': '/dead-letters',
  'dead-letter': '/dead-letters/tracking.track.v1:3:12@1763877000000',
  privacy: '/privacy',
  account: '/settings',
  users: '/settings?tab=users',
  masks: '/settings?tab=masks',
  audit: '/settings?tab=audit',
  login: '/login',
};

const wide = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };
const looks = [
  { name: 'light-wide', colorScheme: 'light', size: wide },
  { name: 'dark-narrow', colorScheme: 'dark', size: narrow },
  { name: 'dark-wide', colorScheme: 'dark', size: wide },
  { name: 'light-narrow', colorScheme: 'light', size: narrow },
] as const;
/** With `CONSOLE_PICTURES=1` each page is looked at in all four ways. */
const isForPictures = process.env['CONSOLE_PICTURES'] !== undefined;
/** `npm run test:long` looks at each page in each scheme and each width; `npm test` at every second page in either. */
const isForBothLooks = process.env['LONG'] !== undefined;

/** The looks in which the page at this place in the list is looked at. */
function chooseLooks(index: number): readonly (typeof looks)[number][] {
  if (isForPictures) return looks;
  return isForBothLooks ? looks.slice(0, 2) : looks.slice(index % 2, (index % 2) + 1);
}

describe('the pages of the console', () => {
  const server = new StubServer(answers);
  let stubbed: StubbedPage;
  let watched: WatchedPage;

  beforeAll(async () => {
    await mkdir(pictures, { recursive: true });
    stubbed = await StubbedPage.open(server);
    ({ watched } = stubbed);
  });

  afterAll(() => stubbed.close());

  it.each(Object.entries(pages))('%s: axe, policy, console and edges are clean', async (name, path) => {
    const { page, complaints } = watched;
    const chosenLooks = chooseLooks(Object.keys(pages).indexOf(name));
    for (const { name: look, colorScheme, size } of chosenLooks) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      if (look === chosenLooks[0]?.name) await watched.goto(path);
      await watched.settle();
      if (isForPictures) await page.screenshot({ path: join(pictures, `${name}-${look}.png`), fullPage: true });
      expect(await watched.cutOff(), `${name} ${look}`).toEqual([]);
      expect(await watched.axe(), `${name} ${look}`).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });

  it('shows what clients sent as text', async () => {
    await watched.goto('/dead-letters');
    expect(await watched.page.getByText(hostileText).count()).toBeGreaterThan(0);
    expect(await watched.page.locator('img:not([src="/icon.svg"])').count()).toBe(0);
  });
});
