import sparticuz from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

/**
 * The Chromium that comes with `npm ci`. It is the headless shell, which has no back-forward cache and, driven by
 * DevTools, no prerendering.
 */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await sparticuz.executablePath(),
    args: ['--disable-background-networking', '--disable-gpu'],
    chromiumSandbox: false,
  });
}

/** Processes of the browser that run pages. */
export async function rendererIds(browser: Browser): Promise<number[]> {
  const devTools = await browser.newBrowserCDPSession();
  const { processInfo } = await devTools.send('SystemInfo.getProcessInfo');
  await devTools.detach();
  return processInfo.flatMap(({ type, id }) => (type === 'renderer' ? [id] : []));
}
