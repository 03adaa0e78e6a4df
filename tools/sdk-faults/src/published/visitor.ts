import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContext, type CDPSession, type Page } from 'playwright-core';
import { type Fault, faults } from '../proxy/fault.js';
import { FaultProxy, type SeenRequest } from '../proxy/fault-proxy.js';
import { type Sdk } from './sdk.js';
import { type Site } from './site.js';
import { corsFor, Stub } from './stub.js';

/** A browser profile with pages that use one SDK, whose requests pass a proxy of their own to a stub of their own. */
export class Visitor {
  /** Numbers of events whose call of the SDK has returned. */
  readonly tracked = new Set<number>();
  /** Uncaught errors of the pages. */
  readonly errors = new Set<string>();
  /** Requests that met a fault. */
  faults = 0;
  /** Fault of each request with events. */
  choose: (request: SeenRequest) => Fault = () => faults.none;
  private next = 0;
  private readonly pages: Page[] = [];
  private readonly clock = new VisitorClock();

  private constructor(
    readonly sdk: Sdk,
    readonly stub: Stub,
    private readonly proxy: FaultProxy,
    private readonly context: BrowserContext,
    private readonly url: string,
  ) {}

  static async arrive(browser: Browser, site: Site, sdk: Sdk, name: string): Promise<Visitor> {
    const stub = await Stub.start(sdk);
    const proxy = await FaultProxy.start(stub.url);
    const visitor = new Visitor(sdk, stub, proxy, await browser.newContext(), `${site.url}/${name}`);
    site.heads.set(name, () =>
      [
        '<script src="/clock.js"></script>',
        `<script>${visitor.clock.script()}</script>`,
        `<script src="/${sdk.page}.js"></script>`,
        `<script>sdk.start('${proxy.url}', ${sdk.isTuned})</script>`,
      ].join(''),
    );
    proxy.choose = (request) => visitor.faultOf(request);
    return visitor;
  }

  async open(): Promise<void> {
    const page = await this.context.newPage();
    page.on('pageerror', (error) => this.errors.add(error.message));
    await page.goto(this.url);
    this.pages.push(page);
  }

  /** Tracks an event in each page. An event whose call did not return, because the page was left, is not counted. */
  async track(): Promise<void> {
    await Promise.all(
      this.pages.map(async (page) => {
        const n = this.next++;
        await page.evaluate(`sdk.track(${n})`).then(
          () => this.tracked.add(n),
          () => undefined,
        );
      }),
    );
  }

  /** Tracks an event every `everyMs`, for `ms`; both are the page's time. */
  async live(ms: number, everyMs = 1_000): Promise<void> {
    const until = this.clock.now() + ms;
    while (this.clock.now() < until) {
      await this.track();
      await sleep(everyMs / this.clock.speed);
    }
  }

  async wait(ms: number): Promise<void> {
    await sleep(ms / this.clock.speed);
  }

  async setClock(change: { speed?: number; skewMs?: number }): Promise<void> {
    this.clock.change(change);
    await Promise.all(this.pages.map((page) => page.evaluate(this.clock.script()).catch(() => undefined)));
  }

  /** While offline, no connections can be made; going offline ends the existing ones. */
  async setOffline(isOffline: boolean): Promise<void> {
    await this.context.setOffline(isOffline);
    if (isOffline) this.proxy.resetAll();
  }

  /** Leaves no room in localStorage, and none in IndexedDB. */
  async fillStorage(): Promise<void> {
    const [page] = this.pages;
    if (!page) return;
    await page.evaluate(`(() => {
      for (let size = 1 << 20, at = 0; size > 0; ) {
        try { localStorage.setItem('others-' + at++, 'x'.repeat(size)); } catch { size >>= 1; }
      }
    })()`);
    const devTools = await this.devTools(page);
    await devTools.send('Storage.overrideQuotaForOrigin', { origin: new URL(this.url).origin, quotaSize: 1 });
  }

  /** Kills the processes of the pages in the midst of their work. */
  async killAll(): Promise<void> {
    for (const page of this.pages.splice(0)) {
      const devTools = await this.devTools(page);
      const crashed = page.waitForEvent('crash');
      // A crashed page never answers.
      devTools.send('Page.crash').catch(() => undefined);
      await crashed;
      await page.close();
    }
  }

  /** Closes the pages, as a visitor does, and opens another. */
  async comeBack(): Promise<void> {
    const gone = this.pages.splice(0);
    for (const page of gone) await page.close({ runBeforeUnload: false });
    await this.open();
  }

  async reload(): Promise<void> {
    await Promise.all(this.pages.map((page) => page.reload()));
  }

  get missing(): number {
    return [...this.tracked].filter((n) => !this.stub.deliveries.has(n)).length;
  }

  async leave(): Promise<void> {
    await this.context.close();
    await this.proxy.stop();
    await this.stub.stop();
  }

  private async devTools(page: Page): Promise<CDPSession> {
    return this.context.newCDPSession(page);
  }

  private faultOf(request: SeenRequest): Fault {
    const { pathname } = new URL(request.path, this.url);
    if (request.method !== 'POST' || !this.sdk.path.test(pathname)) return faults.none;
    const fault = this.choose(request);
    if (fault.kind !== 'none') this.faults++;
    // The service refuses as this vendor does, so that the page can read it.
    if (fault.kind !== 'answer' || fault.headers['access-control-allow-origin'] === undefined) return fault;
    const headers = { ...fault.headers, ...corsFor(request.headers) };
    return { ...fault, headers, body: this.sdk.refusal(fault.status) };
  }
}

/** The time of a visitor's pages, which goes on from page to page. */
class VisitorClock {
  speed = 1;
  private wall = Date.now();
  private since = performance.now();

  now(): number {
    return Math.floor(this.wall + (performance.now() - this.since) * this.speed);
  }

  change({ speed = this.speed, skewMs = 0 }: { speed?: number; skewMs?: number }): void {
    this.wall = this.now() + skewMs;
    this.since = performance.now();
    this.speed = speed;
  }

  /** Sets the clock of a page. */
  script(): string {
    return `clock.set(${this.now()}, ${this.speed})`;
  }
}
