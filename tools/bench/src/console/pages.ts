import { launchChromium, type Local } from '@sluice/testing';
import { type Browser, type Page } from 'playwright-core';
import { type BenchFigure } from '../report.js';
import { median } from '../statistics.js';

const pages = ['/', '/live', '/sources', '/refused', '/pipeline', '/dead-letters'];
const loads = 5;
const slowdown = 4;

// Runs in the page: the largest paint so far, in milliseconds since the navigation.
const largest = `new Promise((resolve) => new PerformanceObserver((list) => {
  resolve(list.getEntries().at(-1).startTime);
}).observe({ type: 'largest-contentful-paint', buffered: true }))`;

/** Largest paint of each page without a cache, with a CPU four times slower. */
export async function measurePaint(local: Local, cookie: string): Promise<BenchFigure[]> {
  const browser = await launchChromium();
  try {
    const figures: BenchFigure[] = [];
    for (const path of pages) {
      const paints: number[] = [];
      for (let i = 0; i < loads; i++) paints.push(await timePaint(browser, local, cookie, path));
      const group = `console, largest paint, cold, CPU slowed ${slowdown} times`;
      figures.push({ group, measure: path, unit: 'ms', sluice: median(paints) });
    }
    return figures;
  } finally {
    await browser.close();
  }
}

/** Opens an empty page of someone who is signed in. */
export async function signedInPage(browser: Browser, local: Local, cookie: string): Promise<Page> {
  // A headless browser takes its language from the environment; a person's is one of BCP 47.
  const context = await browser.newContext({ locale: 'en-US' });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: local.console.url }]);
  return context.newPage();
}

/** Milliseconds until the largest paint of a page, without a cache, with a slow CPU. */
export async function timePaint(browser: Browser, local: Local, cookie: string, path: string): Promise<number> {
  const page = await signedInPage(browser, local, cookie);
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.goto(`${local.console.url}${path}`);
  await page.locator('h1').waitFor();
  await page.locator('[aria-label="Loading"]').first().waitFor({ state: 'detached' });
  // The observer learns of a paint in the frame after it.
  await page.waitForTimeout(300);
  const paint = await page.evaluate<number>(largest);
  await page.context().close();
  return paint;
}
