import sparticuz from '@sparticuz/chromium';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

/**
 * The Chromium that comes with `npm ci`. It is the headless shell, which has no back-forward cache and, driven by
 * DevTools, no prerendering.
 */
export const launchChromium = async (): Promise<Browser> => chromium.launch(await launchOptions());

/** A browser that keeps what sites store in this folder. */
export async function launchPersistent(folder: string): Promise<{ context: BrowserContext; pid: number }> {
  const context = await chromium.launchPersistentContext(folder, await launchOptions());
  const browser = context.browser();
  if (!browser) throw new Error('the context has no browser');
  const devTools = await browser.newBrowserCDPSession();
  const { processInfo } = await devTools.send('SystemInfo.getProcessInfo');
  await devTools.detach();
  return { context, pid: processInfo.find(({ type }) => type === 'browser')?.id ?? 0 };
}

const launchOptions = async () => ({
  executablePath: await sparticuz.executablePath(),
  args: ['--disable-background-networking', '--disable-gpu'],
  chromiumSandbox: false,
});

/** Processes of the browser that run pages. */
export async function rendererIds(browser: Browser): Promise<number[]> {
  const devTools = await browser.newBrowserCDPSession();
  const { processInfo } = await devTools.send('SystemInfo.getProcessInfo');
  await devTools.detach();
  return processInfo.flatMap(({ type, id }) => (type === 'renderer' ? [id] : []));
}
