import { eventually } from '@sluice/testing';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, type Page } from 'playwright-core';
import { expect } from 'vitest';

// These functions run in the page.

function reportPolicy(): void {
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) =>
    console.error('policy:', violatedDirective, blockedURI, sourceFile),
  );
}

function findCutOff(): string[] {
  const canScroll = ({ parentElement }: Element): boolean =>
    parentElement !== null &&
    (['auto', 'scroll', 'hidden'].includes(getComputedStyle(parentElement).overflowX) || canScroll(parentElement));
  const { scrollWidth, clientWidth } = document.documentElement;
  const page = scrollWidth > clientWidth ? [`a page of ${scrollWidth} in a window of ${clientWidth}`] : [];
  const elements = [...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > clientWidth + 1 && !canScroll(element))
    .map((element) => element.outerHTML.slice(0, 120));
  return [...page, ...elements];
}

// Text that can turn the direction must have a box of its own. For right-to-left letters a `<bdi>` is enough. Unicode's
// direction controls need an element that is not inline, because a control can end the `<bdi>` around it.
function findTurned(): string[] {
  const control = /[\u202a-\u202e\u2066-\u2069]/;
  const letter = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
  const isBox = (element: Element): boolean => !['inline', 'contents'].includes(getComputedStyle(element).display);
  const findBox = (element: Element | null, isBdiEnough: boolean): Element | null =>
    element === null || isBox(element) || (isBdiEnough && element.tagName === 'BDI')
      ? element
      : findBox(element.parentElement, isBdiEnough);
  const turnedBoxes: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode as Text;
    const isControl = control.test(data);
    if (!isControl && !letter.test(data)) continue;
    const box = findBox(parentElement, !isControl);
    if (box && box.tagName !== 'BDI' && box.textContent.trim() !== data.trim())
      turnedBoxes.push(box.outerHTML.slice(0, 200));
  }
  return turnedBoxes;
}

/** A new size or colour scheme reaches the page with its next frame. */
const twoFrames = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

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
    const page = await context.newPage();
    // Motion only delays what is asserted.
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
      // CodeMirror logs this for a wrapped line of half a megabyte, and goes on measuring in the next frame.
      const isLongLine = message.text() === 'Viewport failed to stabilize';
      if (!['error', 'warning'].includes(message.type()) || isNetwork || isLongLine) return;
      complaints.push(`console: ${message.text()}`);
    });
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(this.origin)) complaints.push(`foreign: ${request.url()}`);
    });
    await page.addInitScript(reportPolicy);
  }

  /** Opens a route and waits until everything on it is loaded. */
  async goto(path: string): Promise<void> {
    await this.page.goto(path);
    await this.settle();
  }

  async settle(): Promise<void> {
    await this.page.locator('h1').first().waitFor();
    for (const selector of ['[aria-label="Loading"]', '.chart-place:empty', '.editor-place:empty'])
      await eventually(async () => expect(await this.page.locator(selector).count()).toBe(0));
    await this.page.evaluate(twoFrames);
  }

  /**
   * Names of the rules of axe that the page breaks, with the elements and what was found. Looks again if there are
   * any: axe takes a picture of the layout first, and a layout that changes afterwards has other colours behind texts.
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

  /** Elements that reach beyond the right edge of the window, except in boxes that scroll or clip. */
  cutOff(): Promise<string[]> {
    return this.page.evaluate(findCutOff);
  }

  /** Places where a text from right to left can change the order of what stands around it. */
  turned(): Promise<string[]> {
    return this.page.evaluate(findTurned);
  }

  /** Whether the page shows this text in a `<bdi>` of its own, exactly as it was sent. */
  shows(text: string): Promise<boolean> {
    return this.page.evaluate(
      (sentText) => [...document.querySelectorAll('bdi')].some(({ textContent }) => textContent === sentText),
      text,
    );
  }
}
