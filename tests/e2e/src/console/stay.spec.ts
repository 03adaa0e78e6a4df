import { setTimeout as sleep } from 'node:timers/promises';
import { launchChromium } from '@sluice/testing';
import { type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answers, refusal } from './fixtures.js';
import { StubServer } from './stub-server.js';
import { WatchedPage } from './watched-page.js';

// Every page stays open for 30 s with a form filled or a dialog open, while its data is fetched repeatedly, and while
// ClickHouse is not responding for a third of that time.

const stayMs = 30_000;
const outage = { from: 8_000, until: 18_000 };
const source = '/sources/Ab3dEf6hIj9k';
const letter = '/dead-letters/tracking.track.v1:3:12@1763877000000';
const typed = 'typed by a person';
const unreachable = { isUnreachable: true, since: '2026-11-23T06:58:00.000Z', reason: 'no answer within 1 s' };
const here = { isUnreachable: false, since: null, reason: null };

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();
const fill = (page: Page, label: string, text = typed) =>
  page.getByLabel(label).and(page.locator('input, textarea')).last().fill(text);

async function open(page: Page, name: string): Promise<void> {
  await press(page, name);
  await page.getByRole('dialog').waitFor();
}

/** Opens the dialog of saved views, which every page has, and fills its form. */
async function fillView(page: Page): Promise<void> {
  await press(page, 'Saved views');
  await page.getByRole('menuitem', { name: 'Manage views' }).click();
  await fill(page, 'Name of this view');
}

async function type(page: Page, label: string): Promise<void> {
  await page.getByLabel(label).click();
  await page.keyboard.type(typed);
}

/** Actions of a person on each page before they leave the desk. */
const stays: Record<string, [path: string, work: (page: Page) => Promise<void>]> = {
  overview: ['/', fillView],
  live: ['/live', fillView],
  events: ['/events', (page) => page.locator('form.filters').getByLabel('User or anonymous id').fill(typed)],
  'an event': ['/events?id=tracking.track.v1:0:1', (page) => page.getByText('partition 0, offset 1').waitFor()],
  search: ['/search?q=shop', fillView],
  request: [`/requests/${refusal.requestId}`, fillView],
  refused: ['/refused', fillView],
  'refused, a sample': [`/refused?id=${refusal.requestId}`, (page) => page.getByText('What was sent').waitFor()],
  try: ['/try', (page) => type(page, 'Body, JSON')],
  sources: ['/sources', fillView],
  'a new source': ['/sources?new=yes', (page) => fill(page, 'Name')],
  source: [source, (page) => open(page, 'Disable')],
  setup: [`${source}?tab=setup`, fillView],
  'a new key': [
    `${source}?tab=keys`,
    async (page) => {
      await press(page, 'Issue a key');
      await press(page, 'Issue key');
      await page.getByText(answers['POST /api/sources/:id/keys']?.apiKey ?? '', { exact: true }).waitFor();
    },
  ],
  'a revoked key': [`${source}?tab=keys`, (page) => open(page, 'Revoke 9a8b7c6d')],
  limits: [
    `${source}?tab=limits`,
    async (page) => {
      await fill(page, 'Requests per second', '777');
      await fill(page, 'One origin per line; empty allows any', 'https://typed.example');
    },
  ],
  pipeline: ['/pipeline', fillView],
  ledger: [
    '/pipeline/ledger',
    (page) =>
      page
        .getByLabel('Time')
        .selectOption('The last 6 hours')
        .then(() => undefined),
  ],
  'a person': [
    '/privacy',
    async (page) => {
      await fill(page, 'Id 1');
      await press(page, 'Look for the person');
      await open(page, 'Erase…');
      await fill(page, 'Ticket');
    },
  ],
  'dead letters': ['/dead-letters', (page) => open(page, 'Replay the newest 1,000')],
  'a dead letter': [
    letter,
    async (page) => {
      await press(page, 'Edit and replay');
      await type(page, 'Content of the message, JSON');
    },
  ],
  account: ['/settings', (page) => fill(page, 'New password', 'correct horse battery')],
  users: [
    '/settings?tab=users',
    async (page) => {
      await open(page, 'Invite');
      await page.getByRole('dialog').getByLabel('User').fill(typed);
    },
  ],
  masks: ['/settings?tab=masks', (page) => fill(page, 'One path per line; * matches any text', 'typed.path')],
  audit: ['/settings?tab=audit', fillView],
};

/** Page function: counts skeletons, and keeps each field and dialog, so that a new one in its place is noticed. */
function observe() {
  const fields = '[role="dialog"], main input, main textarea, main select, .cm-content';
  const seen = { skeletons: 0, elements: [...document.querySelectorAll(`main, h1, ${fields}`)] };
  const skeleton = '[aria-label="Loading"]';
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes]))
      if (node instanceof Element && (node.matches(skeleton) || node.querySelector(skeleton))) seen.skeletons++;
  }).observe(document.body, { childList: true, subtree: true });
  return seen;
}

/** Page function: returns the state that must not change while nobody acts. */
function state({ skeletons, elements }: ReturnType<typeof observe>): object {
  const fields = '[role="dialog"] input, main input, main textarea, main select';
  const textsOf = (selector: string) => [...document.querySelectorAll(selector)].map(({ textContent }) => textContent);
  return {
    skeletons,
    kept: elements.filter(({ isConnected }) => isConnected).length,
    dialogs: document.querySelectorAll('[role="dialog"]').length,
    values: [...document.querySelectorAll<HTMLInputElement>(fields)].map(({ value, checked }) => [value, checked]),
    editors: textsOf('.cm-content'),
    code: textsOf('[role="dialog"] pre'),
  };
}

let browser: Browser;
let origin: string;
const server = new StubServer(answers);
beforeAll(async () => {
  browser = await launchChromium();
  origin = await server.start();
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const nothing = Object.fromEntries(Object.keys(answers).map((operation) => [operation, undefined]));

it(
  'keeps what was typed, opened and shown on every page for 30 s, through an outage',
  { timeout: 180_000 },
  async () => {
    const tabs = [];
    for (const [name, [path, work]] of Object.entries(stays)) {
      const watched = await WatchedPage.open(browser, origin);
      await watched.goto(path);
      await work(watched.page);
      const seen = await watched.page.evaluateHandle(observe);
      tabs.push({ name, watched, seen, before: await seen.evaluate(state) });
    }
    await sleep(outage.from);
    server.change({ ...nothing, servers: { kafka: here, clickhouse: unreachable } });
    await sleep(outage.until - outage.from);
    await Promise.all(tabs.map(({ watched }) => watched.page.getByText('ClickHouse is not responding,').waitFor()));
    server.change(answers);
    await sleep(stayMs - outage.until);
    for (const { name, watched, seen, before } of tabs) {
      expect({ name, ...(await seen.evaluate(state)) }).toEqual({ name, ...before });
      expect(watched.complaints).toEqual([]);
    }
  },
);
