import { launchChromium } from '@sluice/testing';
import { type Browser, type BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openSite, type Site } from './site.js';

/** A site, the browser of all tests of a file, and the storage and cookies of the current test. */
export interface Visitor {
  site: Site;
  browser: Browser;
  context: BrowserContext;
}

/** Opens site and browser before the tests of a file, and a new context before each test. */
export function visitor(): Readonly<Visitor> {
  const visitorState = {} as Visitor;
  beforeAll(async () => {
    visitorState.site = await openSite();
    visitorState.browser = await launchChromium();
  });
  afterAll(async () => {
    await visitorState.browser.close();
    visitorState.site.close();
  });
  beforeEach(async () => {
    visitorState.context = await visitorState.browser.newContext();
  });
  afterEach(async () => {
    await visitorState.context.close();
  });
  return visitorState;
}
