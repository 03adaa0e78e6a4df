import { setTimeout } from 'node:timers/promises';
import { FaultProxy, faults } from '@sluice/sdk-faults';
import { type Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { local } from '../stack.js';
import { beginClient, dispatchOnline, readErrors, expectOnce, removeJitter, trackInPage } from './client-page.js';
import { visitor } from './visitor.js';

const visit = visitor();
let proxy: FaultProxy;

beforeEach(async () => {
  proxy = await FaultProxy.start(local().gateway.url);
  await visit.context.addInitScript(removeJitter);
});
afterEach(async () => {
  await proxy.stop();
});

type Store = 'localStorage' | 'IndexedDB';

/** Leaves no room in a store, by the browser's own quotas. */
async function fill(page: Page, store: Store): Promise<void> {
  if (store === 'IndexedDB') return setQuota(page, 1);
  await page.evaluate(() => {
    for (let text = 'x'.repeat(2 ** 20), index = 0; text !== ''; index++) {
      try {
        localStorage.setItem(`fill${index}`, text);
      } catch {
        text = text.slice(1 + text.length / 2);
      }
    }
  });
}

/** A page whose stores are full before its client starts: browsers remember for a while that there was room. */
async function fullPage(...stores: readonly Store[]): Promise<Page> {
  const page = await visit.context.newPage();
  await page.goto(visit.site.url);
  for (const store of stores) await fill(page, store);
  await beginClient(page, proxy.url);
  return page;
}

async function empty(page: Page): Promise<void> {
  await setQuota(page);
  await page.evaluate(() => {
    for (const name of Object.keys(localStorage)) if (name.startsWith('fill')) localStorage.removeItem(name);
  });
}

async function setQuota(page: Page, quotaSize?: number): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Storage.overrideQuotaForOrigin', { origin: visit.site.url, ...(quotaSize && { quotaSize }) });
  // The session is not closed: the quota would end with it.
}

/** Page functions: whether a store still takes a thousand characters. */
const takes: Record<Store, () => boolean | Promise<boolean>> = {
  localStorage: () => {
    try {
      localStorage.setItem('probe', 'x'.repeat(1_000));
      return true;
    } catch {
      return false;
    }
  },
  IndexedDB: () =>
    new Promise<boolean>((resolve) => {
      const request = indexedDB.open('probe', 1);
      request.onupgradeneeded = () => request.result.createObjectStore('probe').put('x'.repeat(1_000), 1);
      request.onerror = () => resolve(false);
      request.onsuccess = () => resolve(true);
    }),
};

const makeNames = (prefix: string): string[] => Array.from({ length: 45 }, (_, index) => `${prefix}${index}`);

it.each(['localStorage', 'IndexedDB'] as const)(
  'while %s is full, the other store keeps events over a reload',
  async (store) => {
    const names = makeNames(`web_full_${store}_`);
    proxy.choose = () => faults.resetBefore;
    const page = await fullPage(store);
    expect(await page.evaluate(takes[store])).toBe(false);
    expect(await trackInPage(page, ...names)).toBe(true);
    // IndexedDB is written after the call has returned.
    await setTimeout(500);
    expect(await readErrors(page)).toEqual([]);
    await page.reload();
    await beginClient(page, proxy.url);
    proxy.choose = () => faults.none;
    await dispatchOnline(page);
    await expectOnce(`web_full_${store}_`, names);
    expect(await readErrors(page)).toEqual([]);
  },
);

it('while both are full, events wait in memory, errorHandler is called once, and room is used as soon as there is some', async () => {
  const [first, later] = [makeNames('web_full_both_'), makeNames('web_full_again_')];
  proxy.choose = () => faults.resetBefore;
  const page = await fullPage('localStorage', 'IndexedDB');
  for (const store of Object.values(takes)) expect(await page.evaluate(store)).toBe(false);
  expect(await trackInPage(page, ...first)).toBe(true);
  await setTimeout(500);
  expect(await readErrors(page)).toEqual(['storage']);
  await empty(page);
  // The open batch, which began without room, is sealed after two seconds.
  await setTimeout(2_500);
  expect(await trackInPage(page, ...later)).toBe(true);
  await setTimeout(500);
  const keptKeys = await page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('sluice.m.')));
  expect(keptKeys.length).toBeGreaterThanOrEqual(later.length);
  proxy.choose = () => faults.none;
  await dispatchOnline(page);
  await expectOnce('web_full_both_', first);
  await expectOnce('web_full_again_', later);
});
