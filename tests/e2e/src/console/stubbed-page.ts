import { launchChromium } from '@sluice/testing';
import { type Browser, type Page } from 'playwright-core';
import { type StubServer } from './stub-server.js';
import { WatchedPage } from './watched-page.js';

/** A page of the console in Chromium, served by a stub. */
export class StubbedPage {
  private constructor(
    private readonly server: StubServer,
    readonly browser: Browser,
    readonly origin: string,
    readonly watched: WatchedPage,
  ) {}

  static async open(server: StubServer): Promise<StubbedPage> {
    const browser = await launchChromium();
    const origin = await server.start();
    return new StubbedPage(server, browser, origin, await WatchedPage.open(browser, origin));
  }

  get page(): Page {
    return this.watched.page;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
  }
}
