import { type Browser, type BrowserContext, type LaunchOptions } from 'playwright-core';

/** The Chromium that comes with `npm ci`. It is the headless shell, which has no notifications. */
export async function launchChromium(options: LaunchOptions = {}): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  return chromium.launch(await withDefaults(options));
}

/** Launches a browser that keeps the data of sites in this folder. */
export async function launchPersistent(
  folder: string,
  options: LaunchOptions = {},
): Promise<{ context: BrowserContext; pid: number }> {
  const { chromium } = await import('playwright-core');
  const context = await chromium.launchPersistentContext(folder, await withDefaults(options));
  const browser = context.browser();
  if (!browser) throw new Error('the context has no browser');
  return { context, pid: (await processIds(browser, 'browser'))[0] ?? 0 };
}

/** Processes of the browser that run pages. */
export const rendererIds = (browser: Browser): Promise<number[]> => processIds(browser, 'renderer');

async function withDefaults({ executablePath, args = [], ...otherOptions }: LaunchOptions): Promise<LaunchOptions> {
  return {
    executablePath: executablePath ?? (await shippedChromium()),
    // Keeps it from contacting hosts on the internet.
    args: ['--disable-background-networking', '--disable-component-update', '--disable-gpu', ...args],
    chromiumSandbox: false,
    ...otherOptions,
  };
}

/** Path of the Chromium that comes with `npm ci`. */
export async function shippedChromium(): Promise<string> {
  // Loaded only here, because `npm start` imports this library too.
  const { default: shipped } = await import('@sparticuz/chromium');
  return shipped.executablePath();
}

async function processIds(browser: Browser, kind: string): Promise<number[]> {
  const devTools = await browser.newBrowserCDPSession();
  const { processInfo } = await devTools.send('SystemInfo.getProcessInfo');
  await devTools.detach();
  return processInfo.flatMap(({ type, id }) => (type === kind ? [id] : []));
}
