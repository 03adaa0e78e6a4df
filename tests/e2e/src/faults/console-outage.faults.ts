import { setTimeout as sleep } from 'node:timers/promises';
import { type Local, launchChromium, LocalStack, signalGroup } from '@sluice/testing';
import { type Browser, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { WatchedPage } from '../console/watched-page.js';

// A page shows that Kafka or ClickHouse stands still, and that it is back. Runs the built stack (npm run build).

const rounds = 3;
const maxMs = 4_000;
const maxAnswerMs = 500;

let stack: LocalStack;
let local: Local;
let browser: Browser;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  stack = await LocalStack.start();
  local = stack.local;
  browser = await launchChromium();
  watched = await WatchedPage.open(browser, local.console.url);
  page = watched.page;
  await page.goto(await stack.consoleLink());
  await page.getByRole('list', { name: 'Verdicts' }).waitFor();
});
afterEach(() => {
  for (const { pid } of [local.kafka, local.clickhouse]) signalGroup(pid, 'SIGCONT');
});
afterAll(async () => {
  await browser.close();
  await stack.stop();
}, 60_000);

/** Duration of the work in milliseconds. */
async function took(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return Math.round(performance.now() - startedAt);
}

const servers = [
  { name: 'Kafka', pid: () => local.kafka.pid, page: '/dead-letters', effect: 'Gateways keep accepted events' },
  { name: 'ClickHouse', pid: () => local.clickhouse.pid, page: '/refused', effect: 'Events wait in Kafka' },
] as const;

/** Expects that a request is refused with the reason, because the server is known to be unreachable. */
async function refuses({ name, page: path }: (typeof servers)[number]): Promise<void> {
  const answer = await page.request.get(`/api${path}`);
  expect([answer.status(), await answer.text()]).toEqual([503, expect.stringContaining(`${name} has not answered`)]);
}

it.each(servers)('the page says within 4 s that $name stands still', { timeout: 180_000 }, async (server) => {
  const bar = page.getByText(`${server.name} is not responding,`);
  const tookMs: Record<'gone' | 'back' | 'read', number[]> = { gone: [], back: [], read: [] };
  for (let round = 0; round < rounds; round++) {
    await watched.goto('/');
    // Each round begins at another point between two checks.
    await sleep(1_000 + round * 110);
    signalGroup(server.pid(), 'SIGSTOP');
    tookMs.gone.push(await took(() => bar.waitFor()));
    expect(await page.getByText(server.effect).count()).toBe(1);
    expect(await page.getByRole('list', { name: 'Verdicts' }).count()).toBe(1);
    tookMs.read.push(await took(() => refuses(server)));
    await page.goto(server.page);
    await page.getByText('This cannot be loaded right now').first().waitFor();
    await bar.waitFor();
    signalGroup(server.pid(), 'SIGCONT');
    tookMs.back.push(await took(() => bar.waitFor({ state: 'detached' })));
    await page.getByText('This cannot be loaded right now').first().waitFor({ state: 'detached' });
  }
  console.log(JSON.stringify({ server: server.name, ...tookMs }));
  expect(Math.max(...tookMs.gone)).toBeLessThan(maxMs);
  expect(Math.max(...tookMs.read)).toBeLessThan(maxAnswerMs);
  expect(watched.complaints).toEqual([]);
});

it('the page says within 15 s that the console itself stands still, and recovers', { timeout: 90_000 }, async () => {
  const bar = page.getByText('The console is not responding. Retrying…').first();
  await watched.goto('/');
  await page.getByRole('list', { name: 'Verdicts' }).waitFor();
  signalGroup(local.console.pid, 'SIGSTOP');
  try {
    expect(await took(() => bar.waitFor({ timeout: 30_000 }))).toBeLessThan(15_000);
  } finally {
    signalGroup(local.console.pid, 'SIGCONT');
  }
  await bar.waitFor({ state: 'detached' });
});

it('a page opened while ClickHouse stands still says so from its first picture on', { timeout: 60_000 }, async () => {
  await watched.goto('/');
  signalGroup(local.clickhouse.pid, 'SIGSTOP');
  await page.getByText('ClickHouse is not responding,').waitFor();
  await page.reload();
  await page.getByText('ClickHouse is not responding,').waitFor();
  expect(await page.getByRole('list', { name: 'Verdicts' }).textContent()).toContain('does not answer');
  signalGroup(local.clickhouse.pid, 'SIGCONT');
  await page.getByText('ClickHouse is not responding,').waitFor({ state: 'detached' });
});
