import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchPersistent, rendererIds } from '@sluice/testing';
import { expect, it } from 'vitest';
import { local, select } from '../stack.js';
import { readErrors, expectOnce, openPage, trackInPage } from './client-page.js';
import { visitor } from './visitor.js';

const visit = visitor();

it('an event of a page is a row, with the page and its campaign', async () => {
  const page = await openPage(visit.context, visit.site.url + '/?utm_source=mail&utm_campaign=spring');
  expect(await page.evaluate(() => sluice.track('web_first', { total: 49.9 }))).toBe(true);
  await expectOnce('web_first', ['web_first']);
  const [row] = await select(
    "SELECT properties.total AS total, context.sdk.name AS sdk, context.campaign.name AS campaign, context.page.path AS path FROM events WHERE event = 'web_first'",
    {},
  );
  expect(row).toEqual({ total: 49.9, sdk: '@sluice/web', campaign: 'spring', path: '/' });
  expect(await readErrors(page)).toEqual([]);
});

/** Page function: tracks an event; nothing of the page runs any more from `ms` milliseconds after `track` returned. */
function trackAndHang({ name, ms }: { name: string; ms: number }): void {
  const hang = (): void => {
    for (;;);
  };
  // Later, so that this function has returned before the page hangs.
  setTimeout(() => {
    sluice.track(name);
    if (ms === 0) hang();
    setTimeout(hang, ms);
  }, 20);
}

it.each([0, 1, 5, 50])('a tab that is killed %d ms after `track` returned loses nothing', async (ms) => {
  const prefix = `web_kill_${ms}_`;
  const names: string[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const before = await rendererIds(visit.browser);
    const page = await openPage(visit.context, visit.site.url);
    const name = `${prefix}${turn}`;
    names.push(name);
    await page.evaluate(trackAndHang, { name, ms });
    await sleep(ms + 200);
    for (const id of await rendererIds(visit.browser)) if (!before.includes(id)) process.kill(id, 'SIGKILL');
    await page.close().catch(() => undefined);
  }
  await openPage(visit.context, visit.site.url);
  await expectOnce(prefix, names);
});

it('a browser that is killed as a whole a second after `track` returned loses nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-browser-'));
  const first = await launchPersistent(folder);
  await first.context.route(`${local().gateway.url}/**`, (route) => route.abort());
  const page = await openPage(first.context, visit.site.url);
  await trackInPage(page, 'web_browser_1');
  await sleep(1_000);
  process.kill(first.pid, 'SIGKILL');
  await first.context.close().catch(() => undefined);
  const second = await launchPersistent(folder);
  await openPage(second.context, visit.site.url);
  await expectOnce('web_browser_', ['web_browser_1']);
  await second.context.close();
  await rm(folder, { recursive: true, force: true });
});
