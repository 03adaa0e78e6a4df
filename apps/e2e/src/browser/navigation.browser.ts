import { setTimeout } from 'node:timers/promises';
import { launchChromium } from '@sluice/testing';
import { type Browser, type BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { expectOnce, optionsText, patience } from '../sdk/client-page.js';
import { manifest, openSite, type Site } from '../sdk/site.js';
import { local, select } from '../stack.js';
import { installed } from './installed.js';

const fileOf = (name: string): string => `/sdk/${manifest.files[name]?.file ?? ''}`;
const scripts = ['sluice.js', 'sluice-plugins.js'].map((name) => `<script src="${fileOf(name)}"></script>`).join('');

/** A page with a client, whose script tells the site what happens by `tell(name, value)`. */
const pageOf = (script: string): { body: string } => ({
  body: `<!doctype html><title>Shop</title>${scripts}<script>
    const tell = (name, value) => fetch('/told?' + new URLSearchParams({ [name]: JSON.stringify(value) }));
    sluice.createClient(${optionsText()});
    ${script}
  </script>`,
});

// These pages drive themselves: DevTools in a page may keep it from being restored or prerendered.
describe.skipIf(!installed.chromium)('pages that browsers keep and prepare', () => {
  let site: Site;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    site = await openSite();
    browser = await launchChromium({
      executablePath: installed.chromium ?? '',
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    });
  });
  afterAll(async () => {
    await browser.close();
    site.close();
  });
  beforeEach(async () => {
    context = await browser.newContext();
  });
  afterEach(async () => {
    await context.close();
  });

  /** The values that pages told under this name. */
  const told = (name: string): unknown[] =>
    site.requests
      .filter((url) => url.startsWith('/told?'))
      .map((url) => new URL(url, site.url).searchParams.get(name))
      .flatMap((text) => (text === null ? [] : [JSON.parse(text) as unknown]));
  const hears = (name: string): Promise<unknown[]> =>
    vi.waitFor(() => {
      expect(told(name)).not.toEqual([]);
      return told(name);
    }, patience);

  it('a page is restored from the back-forward cache; what it tracked before, while leaving and after is stored once', async () => {
    site.pages.set(
      '/kept',
      pageOf(`
        sluice.track('kept_before');
        addEventListener('pagehide', () => sluice.track('kept_leaving'));
        addEventListener('pageshow', ({ persisted }) => {
          const [entry] = performance.getEntriesByType('navigation');
          if (persisted) sluice.track('kept_after');
          if (persisted || entry.type === 'back_forward') tell('shown', { persisted, reasons: entry.notRestoredReasons });
        });
        // Its locks and its database are held by now.
        setTimeout(() => (location.href = '/between'), 1_500);
      `),
    );
    site.pages.set('/between', pageOf(`sluice.track('kept_between'); setTimeout(() => history.back(), 1_500)`));
    const page = await context.newPage();
    await page.goto(`${site.url}/kept`, { waitUntil: 'commit' });
    const shown = await hears('shown');
    expect(shown).toEqual([{ persisted: true, reasons: null }]);
    await expectOnce(
      'kept_',
      ['before', 'leaving', 'between', 'after'].map((name) => `kept_${name}`),
    );
    const [row] = await select(
      "SELECT uniqExact(context.sdk.stream.:String) AS streams FROM events WHERE event IN ('kept_before', 'kept_after')",
    );
    expect(Number(row?.['streams'])).toBe(1);
  });

  const prepared = (name: string, script: string): void => {
    const rules = JSON.stringify({ prerender: [{ source: 'list', urls: [`/${name}`] }] });
    site.pages.set(
      `/${name}`,
      pageOf(`
        sluice.use(sluice.pageViews({ event: '${name}_view' }));
        sluice.track('${name}_event');
        tell('${name}', document.prerendering);
        document.addEventListener('prerenderingchange', () => tell('${name}_activated', true));
      `),
    );
    site.pages.set(`/before-${name}`, {
      body: pageOf(script).body + `<script type="speculationrules">${rules}</script>`,
    });
  };

  it('a page that is prerendered and never shown sends and counts nothing', async () => {
    prepared('unseen', '');
    const requests: string[] = [];
    context.on('request', (request) => requests.push(request.url()));
    const page = await context.newPage();
    await page.goto(`${site.url}/before-unseen`);
    expect(await hears('unseen')).toEqual([true]);
    await setTimeout(4_000);
    await page.evaluate(`sluice.track('never_shown_neighbour'); location.href = '/elsewhere'`);
    await expectOnce('never_shown_neighbour', ['never_shown_neighbour']);
    expect(await select("SELECT event FROM events WHERE startsWith(event, 'unseen_')")).toEqual([]);
    expect(told('unseen_activated')).toEqual([]);
  });

  it('a page that is prerendered and then shown sends each event and its page view once', async () => {
    prepared('seen', '');
    const page = await context.newPage();
    await page.goto(`${site.url}/before-seen`);
    expect(await hears('seen')).toEqual([true]);
    await setTimeout(3_000);
    expect(await select("SELECT event FROM events WHERE startsWith(event, 'seen_')")).toEqual([]);
    await page.evaluate(`setTimeout(() => (location.href = '/seen')); 0`);
    expect(await hears('seen_activated')).toEqual([true]);
    await expectOnce('seen_', ['seen_event', 'seen_view']);
    // Shown from the prerendered page, not loaded anew.
    expect(site.requests.filter((url) => url === '/seen')).toHaveLength(1);
    expect(local().gateway.url).not.toBe(site.url);
  });
});
