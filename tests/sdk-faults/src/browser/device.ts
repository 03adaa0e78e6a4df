import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchPersistent, rendererIds } from '@sluice/testing';
import { type BrowserContext, type Page } from 'playwright-core';
import { type Around } from '../run/platform.js';
import { clockScript, controlName, tookName, lossName } from './page-script.js';

const maxTabs = 8;
const timeoutMs = 15_000;
const dayMs = 86_400_000;
/** A batch that was begun without room stays in memory until it is sealed; later messages join it. */
const openBatchMs = 500;

export interface BrowserSurroundings extends Pick<Around, 'books' | 'beganAt' | 'random' | 'fault'> {
  readonly siteUrl: string;
}

interface TookCall {
  readonly tab: string;
  readonly numbers: number[];
  readonly at: number;
}

/** A device with a real browser, whose tabs are opened, reloaded and killed, and which loses network and room. */
export class BrowserDevice {
  private skewMs = 0;
  /** The last period without room. */
  private full = { from: Infinity, to: Infinity };
  private tabs: Page[] = [];

  private constructor(
    private readonly around: BrowserSurroundings,
    private readonly index: number,
    private readonly folder: string,
    private browser: { context: BrowserContext; pid: number },
  ) {}

  static async start(around: BrowserSurroundings, index: number): Promise<BrowserDevice> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-device-'));
    const device = new BrowserDevice(around, index, folder, await launchPersistent(folder));
    await device.begin();
    return device;
  }

  async live(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      // A step in a page that has just been killed fails.
      await this.step().catch(() => undefined);
      await sleep(this.around.random() * 150);
    }
  }

  /** Opens a tab that meets no faults, and closes all others. */
  async calmDown(): Promise<void> {
    await this.browser.context.setOffline(false);
    const old = [...this.tabs];
    const page = await this.open();
    await this.free(page);
    for (const oldPage of old) await oldPage.close().catch(() => undefined);
    this.tabs = [page];
  }

  /** Sends what is there. Resolves with a text of what is left in memory and stores; undefined if nothing is left. */
  async drain(): Promise<string | undefined> {
    const [page] = this.tabs;
    if (!page) return 'no page';
    return page.evaluate<string | undefined>(`(async () => {
      const { left } = await client.flush();
      const names = Object.keys(localStorage).filter((name) => name.startsWith('sluice.b.'));
      const database = await new Promise((resolve, reject) => {
        const request = indexedDB.open('sluice', 1);
        request.onsuccess = () => resolve(request.result);
        request.onerror = reject;
      });
      const heads = await new Promise((resolve) => {
        const request = database.transaction('heads').objectStore('heads').getAll();
        request.onsuccess = () => resolve(request.result);
      });
      database.close();
      if (left + names.length + heads.length === 0) return undefined;
      const kept = names.map((name) => localStorage.getItem(name).trim());
      return left + ' in memory; localStorage: ' + kept.join() + '; IndexedDB: ' + JSON.stringify(heads);
    })()`);
  }

  /** Makes pages stop tracking, so that what is left can be counted. */
  async rest(): Promise<void> {
    for (const page of this.tabs) {
      await page.evaluate(`for (let id = 0; id < 1000; id++) clearInterval(id);
        book.track = () => ({ tab: book.tab, numbers: [], at: 0 })`);
    }
  }

  /** Reloads the pages, which take over what earlier ones made as they ended. */
  async reload(): Promise<void> {
    for (const page of this.tabs) await page.reload().catch(() => undefined);
    await this.rest();
  }

  async stop(): Promise<void> {
    await this.browser.context.close().catch(() => undefined);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private async begin(): Promise<void> {
    const { books, beganAt } = this.around;
    const { context } = this.browser;
    context.setDefaultTimeout(timeoutMs);
    await context.addInitScript(clockScript(beganAt));
    await context.exposeFunction(tookName, (tab: string, numbers: number[], time: number) =>
      this.took({ tab, numbers, at: time }),
    );
    await context.exposeFunction(controlName, (time: number) => books.controlWritten(this.index, time));
    await context.exposeFunction(lossName, (code: string, count: number) => books.lossReported(code, count));
    this.tabs = [];
    await this.open();
  }

  private async step(): Promise<void> {
    const { random } = this.around;
    const roll = random() * 100;
    const page = this.tabs[Math.floor(random() * this.tabs.length)] ?? (await this.open());
    if (roll < 35) await this.track(page);
    else if (roll < 45) await page.evaluate('void client.flush()');
    else if (roll < 55) await this.reloadStorm(page);
    else if (roll < 65) await this.killTab(page);
    else if (roll < 68) await this.killAllTabs();
    else if (roll < 70) await this.killBrowser();
    else if (roll < 78) await this.goOffline(page);
    else if (roll < 83) await this.fillUp(page);
    else if (roll < 86) {
      this.fault('clock set by up to a day');
      this.skewMs = Math.floor((random() - 0.5) * 2 * dayMs);
      await page.goto(this.url);
    } else if (roll < 88) {
      this.fault('eight tabs');
      while (this.tabs.length < maxTabs) await this.open();
    } else if (this.tabs.length < maxTabs) await this.open();
  }

  private fault(name: string): void {
    this.around.fault(name);
    this.around.books.faultMet(this.index, name);
  }

  private get url(): string {
    return `${this.around.siteUrl}/?skew=${this.skewMs}`;
  }

  private async open(): Promise<Page> {
    const page = await this.browser.context.newPage();
    this.tabs.push(page);
    await page.goto(this.url);
    return page;
  }

  private async track(page: Page): Promise<void> {
    const times = 1 + Math.floor(this.around.random() * 6);
    this.took(await page.evaluate<TookCall>(`book.track(${times})`));
  }

  private took({ tab, numbers, at: time }: TookCall): void {
    const { from, to } = this.full;
    this.around.books.took(this.index, tab, numbers, time, time >= from && time <= to ? 'full' : 'none');
  }

  private async reloadStorm(page: Page): Promise<void> {
    const { random } = this.around;
    for (let times = 2 + Math.floor(random() * 4); times > 0; times--) {
      await this.track(page);
      this.fault('reload storm');
      await page.reload({ waitUntil: random() < 0.5 ? 'commit' : 'load' });
    }
  }

  private async killTab(page: Page): Promise<void> {
    await this.track(page);
    this.fault('tab killed');
    this.tabs = this.tabs.filter((tab) => tab !== page);
    const devTools = await page.context().newCDPSession(page);
    // A crashed page never answers.
    devTools.send('Page.crash').catch(() => undefined);
    await sleep(50);
    await page.close().catch(() => undefined);
  }

  private async killAllTabs(): Promise<void> {
    const browser = this.browser.context.browser();
    if (!browser) return;
    this.fault('all tabs killed at once');
    for (const id of await rendererIds(browser)) process.kill(id, 'SIGKILL');
    const killed = this.tabs;
    this.tabs = [];
    for (const page of killed) await page.close().catch(() => undefined);
  }

  private async killBrowser(): Promise<void> {
    this.fault('browser killed');
    const { context, pid } = this.browser;
    const time = Date.now();
    process.kill(pid, 'SIGKILL');
    await context.close().catch(() => undefined);
    this.around.books.browserKilled(this.index, time);
    this.full.to = Math.min(this.full.to, time + openBatchMs);
    // Its child processes release the folder a moment later.
    for (let tries = 0; ; tries++) {
      await sleep(300);
      try {
        this.browser = await launchPersistent(this.folder);
        break;
      } catch (error) {
        if (tries === 10) throw error;
      }
    }
    await this.begin();
  }

  private async goOffline(page: Page): Promise<void> {
    const { random } = this.around;
    await this.track(page);
    await page.evaluate('void client.flush()');
    await sleep(random() * 30);
    this.fault('offline in mid-request');
    await this.browser.context.setOffline(true);
    await sleep(random() * 700);
    await this.browser.context.setOffline(false);
  }

  private async fillUp(page: Page): Promise<void> {
    const { random } = this.around;
    this.fault('storage full');
    const choice = Math.floor(random() * 3);
    this.full = { from: Date.now(), to: Infinity };
    this.around.books.filledUp(this.index);
    const devTools = await page.context().newCDPSession(page);
    if (choice > 0)
      await devTools.send('Storage.overrideQuotaForOrigin', { origin: this.around.siteUrl, quotaSize: 1 });
    if (choice < 2) await page.evaluate(fillText);
    try {
      for (let times = 0; times < 3; times++) {
        await this.track(page);
        await sleep(random() * 300);
      }
    } finally {
      await this.free(page);
      await devTools.detach();
    }
  }

  private async free(page: Page): Promise<void> {
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Storage.overrideQuotaForOrigin', { origin: this.around.siteUrl });
    await devTools.detach();
    await page.evaluate(`for (const name of Object.keys(localStorage)) {
      if (name.startsWith('fill')) localStorage.removeItem(name);
    }`);
    // The browser applies the old quota for a while.
    await page.evaluate(takesText);
    this.full.to = Math.min(this.full.to, Date.now() + openBatchMs);
  }
}

/** Resolves when IndexedDB takes a kilobyte again, or after ten seconds. */
const takesText = `(async () => {
  const takes = () => new Promise((resolve) => {
    const request = indexedDB.open('probe', 1);
    request.onerror = () => resolve(false);
    request.onupgradeneeded = () => request.result.createObjectStore('probe').put('x'.repeat(1024), 1);
    request.onsuccess = () => {
      request.result.close();
      resolve(true);
    };
  }).finally(() => indexedDB.deleteDatabase('probe'));
  for (const until = bookNow() + 10_000; bookNow() < until && !(await takes()); );
})()`;

/** Leaves no room in localStorage. */
const fillText = `for (let text = 'x'.repeat(2 ** 20), at = 0; text !== ''; at++) {
  try {
    localStorage.setItem('fill' + at, text);
  } catch {
    text = text.slice(1 + text.length / 2);
  }
}`;
