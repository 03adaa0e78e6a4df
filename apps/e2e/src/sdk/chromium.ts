import sparticuz from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

// With them the browser is one process: a tab could not be killed alone.
const unwanted = ['--single-process', '--no-zygote'];

/** The Chromium that comes with `npm ci`. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await sparticuz.executablePath(),
    args: [...sparticuz.args.filter((arg) => !unwanted.includes(arg)), '--disable-background-networking'],
    // Playwright leaves the back-forward cache out; pages of users have it.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
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
