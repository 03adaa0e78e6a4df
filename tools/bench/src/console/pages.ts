import { launchChromium, type Local } from '@sluice/testing';
import { type Browser } from 'playwright-core';
import { type Figure } from '../report.js';
import { median } from '../statistics.js';

const pages = ['/', '/live', '/sources', '/refused', '/pipeline', '/dead-letters'];
const loads = 5;
const slowdown = 4;

// Runs in the page: the largest paint so far, in milliseconds since the navigation.
const largest = `new Promise((resolve) => new PerformanceObserver((list) => {
  resolve(list.getEntries().at(-1).startTime);
}).observe({ type: 'largest-contentful-paint', buffered: true }))`;

/** Largest paint of each page without a cache, with a CPU four times slower. */
export async function measurePaint(local: Local, cookie: string): Promise<Figure[]> {
  const browser = await launchChromium();
  try {
    const figures: Figure[] = [];
    for (const path of pages) {
      const paints: number[] = [];
      for (let i = 0; i < loads; i++) paints.push(await paintOf(browser, local, cookie, path));
      const group = `console, largest paint, cold, CPU slowed ${slowdown} times`;
      figures.push({ group, measure: path, unit: 'ms', sluice: median(paints) });
    }
    return figures;
  } finally {
    await browser.close();
  }
}

async function paintOf(browser: Browser, local: Local, cookie: string, path: string): Promise<number> {
  // A headless browser takes its language from the environment; a person's is one of BCP 47.
  const context = await browser.newContext({ locale: 'en-US' });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: local.console.url }]);
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.goto(`${local.console.url}${path}`);
  await page.locator('h1').waitFor();
  await page.locator('[aria-label="Loading"]').first().waitFor({ state: 'detached' });
  // The observer learns of a paint in the frame after it.
  await page.waitForTimeout(300);
  const paint = await page.evaluate<number>(largest);
  await context.close();
  return paint;
}
