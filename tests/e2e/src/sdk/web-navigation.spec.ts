import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, shippedChromium } from '@sluice/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { select } from '../stack.js';
import { clientOptions, expectOnce } from './client-page.js';
import { manifest, openSite, type Site } from './site.js';

let site: Site;
let folder: string;
let browser: ChildProcess | undefined;

beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());
afterEach(async () => {
  if (browser?.kill()) await once(browser, 'exit');
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const keepsPages = '--enable-bfcache';
const preparesPages = '--enable-features=kPrerender2InHeadlessMode';

/**
 * Opens a page in a browser without automation, because an automated one prerenders no page.
 * @param features flags of features that the headless shell lacks by default
 */
async function visit(path: string, ...features: string[]): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'sluice-browser-'));
  const defaults = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];
  // A port, though nobody connects to it, keeps the browser open.
  const args = [...features, ...defaults, '--remote-debugging-port=0', `--user-data-dir=${folder}`, site.url + path];
  browser = spawn(await shippedChromium(), args, { stdio: 'ignore' });
}

const scripts = ['sluice.js', 'sluice-plugins.js'].map(
  (name) => `<script src="/sdk/${manifest.files[name]?.file ?? ''}"></script>`,
);
/** A page with a client, whose script can report to the site what happens. */
const makePage = (script: string): { body: string } => ({
  body: `<!doctype html><title>Shop</title>${scripts.join('')}<script>
    const report = (name, value) => fetch('/reported?' + new URLSearchParams({ [name]: JSON.stringify(value) }));
    sluice.createClient(${JSON.stringify(clientOptions())});
    ${script}
  </script>`,
});
/** The values that pages reported under this name. */
const reported = (name: string): unknown[] =>
  site.requests
    .filter((url) => url.startsWith('/reported?'))
    .map((url) => new URL(url, site.url).searchParams.get(name))
    .flatMap((text) => (text === null ? [] : [JSON.parse(text) as unknown]));
const hears = (name: string): Promise<unknown[]> =>
  eventually(() => {
    expect(reported(name)).not.toEqual([]);
    return reported(name);
  });

it('a page that comes back from the back-forward cache: what it tracked before, while leaving and after is stored once', async () => {
  site.pages.set(
    '/kept',
    makePage(`
      sluice.track('kept_before');
      addEventListener('pagehide', () => sluice.track('kept_leaving'));
      addEventListener('pageshow', ({ persisted }) => {
        const [{ type, notRestoredReasons }] = performance.getEntriesByType('navigation');
        if (persisted) sluice.track('kept_after');
        if (persisted || type === 'back_forward') report('shown', { persisted, notRestoredReasons });
      });
      // The page has its locks and its database by then.
      setTimeout(() => (location.href = '/between'), 1_500);
    `),
  );
  site.pages.set('/between', makePage(`sluice.track('kept_between'); setTimeout(() => history.back(), 1_500)`));
  await visit('/kept', keepsPages);
  expect(await hears('shown')).toEqual([{ persisted: true, notRestoredReasons: null }]);
  await expectOnce(
    'kept_',
    ['before', 'leaving', 'between', 'after'].map((name) => `kept_${name}`),
  );
  const streams = await select(
    "SELECT context.sdk.stream.:String AS stream FROM events WHERE event IN ('kept_before', 'kept_after') GROUP BY stream",
  );
  expect(streams).toHaveLength(1);
});

it('back and forward without the cache: each page sends what it tracked, once', async () => {
  site.pages.set(
    '/again',
    makePage(`
      const visit = Number(sessionStorage.getItem('visit') ?? 0);
      sessionStorage.setItem('visit', visit + 1);
      sluice.track('again_' + visit);
      addEventListener('pagehide', () => sluice.track('again_left_' + visit));
      if (visit === 0) setTimeout(() => (location.href = '/again?next'), 500);
      if (visit === 1) setTimeout(() => history.back(), 500);
      if (visit === 2) setTimeout(() => history.forward(), 500);
      if (visit === 3) report('again', visit);
    `),
  );
  await visit('/again');
  expect(await hears('again')).toEqual([3]);
  await expectOnce(
    'again_',
    ['0', '1', '2', '3', 'left_0', 'left_1', 'left_2'].map((name) => `again_${name}`),
  );
});

/** Adds a page, and another page that prerenders it and runs `script`. */
function prerendered(name: string, script: string): void {
  const rules = JSON.stringify({ prerender: [{ source: 'list', urls: [`/${name}`] }] });
  site.pages.set(
    `/${name}`,
    makePage(`
      sluice.use(sluice.pageViews({ event: '${name}_view' }));
      sluice.track('${name}_event');
      report('${name}', document.prerendering);
      document.addEventListener('prerenderingchange', () => report('${name}_shown', true));
    `),
  );
  const { body } = makePage(script);
  site.pages.set(`/before-${name}`, { body: `${body}<script type="speculationrules">${rules}</script>` });
}

it('a page that is prerendered and never shown sends and counts nothing', async () => {
  prerendered('unseen', `setTimeout(() => { sluice.track('instead_of_unseen'); location.href = '/else'; }, 4_000)`);
  await visit('/before-unseen', preparesPages);
  expect(await hears('unseen')).toEqual([true]);
  await expectOnce('instead_of_unseen', ['instead_of_unseen']);
  expect(await select("SELECT event FROM events WHERE startsWith(event, 'unseen_')")).toEqual([]);
  expect(reported('unseen_shown')).toEqual([]);
});

it('a page that is prerendered and then shown sends its event and its page view once, with the time of the call', async () => {
  prerendered('seen', `setTimeout(() => (location.href = '/seen'), 4_000)`);
  await visit('/before-seen', preparesPages);
  expect(await hears('seen')).toEqual([true]);
  expect(await select("SELECT event FROM events WHERE startsWith(event, 'seen_')")).toEqual([]);
  expect(await hears('seen_shown')).toEqual([true]);
  await expectOnce('seen_', ['seen_event', 'seen_view']);
  // The prerendered page was shown; it was not loaded again.
  expect(site.requests.filter((url) => url === '/seen')).toHaveLength(1);
  const [row] = await select("SELECT received_at - timestamp > 2 AS has_waited FROM events WHERE event = 'seen_view'");
  expect(row).toEqual({ has_waited: 1 });
});
