import { eventually } from '@sluice/testing';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, type Page } from 'playwright-core';
import { expect } from 'vitest';

// Scripts of the page are texts, because this project has no types of the DOM.
const reportPolicy = `document.addEventListener('securitypolicyviolation', (event) =>
  complainOfPolicy([event.violatedDirective, event.blockedURI, event.sourceFile].join(' ')))`;

const findCutOff = `(() => {
  const canScroll = (element) => {
    for (let one = element.parentElement; one; one = one.parentElement)
      if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(one).overflowX)) return true;
    return false;
  };
  const { scrollWidth, clientWidth } = document.documentElement;
  const page = scrollWidth > clientWidth ? ['a page of ' + scrollWidth + ' in a window of ' + clientWidth] : [];
  const elements = [...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !canScroll(one))
    .map((one) => one.outerHTML.slice(0, 120));
  return [...page, ...elements];
})()`;

// A text with a turn of direction must have a box of its own: `<bdi>` for letters, and more than that for the controls of
// Unicode, because one of them in a `<bdi>` can end it.
const findTurned = `(() => {
  const control = /[\\u202a-\\u202e\\u2066-\\u2069]/;
  const letter = /[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc]/;
  const boxOf = (element, isBdiEnough) => {
    const isBox = (one) => !['inline', 'contents'].includes(getComputedStyle(one).display);
    let one = element;
    while (!isBox(one) && !(isBdiEnough && one.tagName === 'BDI')) one = one.parentElement;
    return one;
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const isControl = control.test(text.data);
    if (!isControl && !letter.test(text.data)) continue;
    const box = boxOf(text.parentElement, !isControl);
    if (box.tagName !== 'BDI' && box.textContent.trim() !== text.data.trim()) found.push(box.outerHTML.slice(0, 200));
  }
  return found;
})()`;

/** A new size or colour scheme reaches the page with its next frame. */
const twoFrames = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`;

/** A page whose every complaint is kept: errors, breaches of the policy, requests to other hosts. */
export class WatchedPage {
  readonly complaints: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly origin: string,
  ) {}

  static async open(browser: Browser, origin: string): Promise<WatchedPage> {
    const context = await browser.newContext({
      baseURL: origin,
      locale: 'en-US',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    // Motion only delays what is asserted.
    const page = await context.newPage();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const watched = new WatchedPage(context, page, origin);
    await watched.listen();
    return watched;
  }

  private async listen(): Promise<void> {
    const { page, complaints } = this;
    page.on('console', (message) => {
      // Chromium writes a line of its own for each answer that is not a success; the tests make those on purpose.
      const isNetwork = message.text().startsWith('Failed to load resource');
      if (['error', 'warning'].includes(message.type()) && !isNetwork) complaints.push(`console: ${message.text()}`);
    });
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(this.origin)) complaints.push(`foreign: ${request.url()}`);
    });
    await page.exposeFunction('complainOfPolicy', (text: string) => complaints.push(`policy: ${text}`));
    await page.addInitScript(reportPolicy);
  }

  /** Opens a route and waits until nothing of it is awaited any more. */
  async goto(path: string): Promise<void> {
    await this.page.goto(path);
    await this.settle();
  }

  async settle(): Promise<void> {
    await this.page.locator('h1').first().waitFor();
    for (const awaited of ['[aria-label="Loading"]', '.chart-place:empty', '.editor-place:empty'])
      await eventually(async () => expect(await this.page.locator(awaited).count()).toBe(0));
    await this.page.evaluate(twoFrames);
  }

  /**
   * Names of the rules of axe that the page breaks, with the elements and what was found. Looks twice: axe takes a
   * picture of the layout first, and a page that is laid out again in between has other colours behind its texts.
   */
  async axe(): Promise<string[]> {
    const first = await this.brokenRules();
    if (first.length === 0) return first;
    await this.settle();
    return this.brokenRules();
  }

  private async brokenRules(): Promise<string[]> {
    const { violations } = await new AxeBuilder({ page: this.page }).analyze();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => [id, html.slice(0, 200), ...any.map(({ message }) => message)].join(': ')),
    );
  }

  /** Elements that reach beyond the right edge of the window, outside of what can be scrolled. */
  cutOff(): Promise<string[]> {
    return this.page.evaluate(findCutOff);
  }

  /** Places where a text from right to left can change the order of what stands around it. */
  turned(): Promise<string[]> {
    return this.page.evaluate(findTurned);
  }

  /** Whether a text of others is on the page, exactly as it was sent. */
  shows(text: string): Promise<boolean> {
    const isShown = `(text) => [...document.querySelectorAll('bdi')].some((one) => one.textContent === text)`;
    return this.page.evaluate(`(${isShown})(${JSON.stringify(text)})`);
  }
}
