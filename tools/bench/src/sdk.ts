import { setTimeout as sleep } from 'node:timers/promises';
import { launchChromium } from '@sluice/testing';
import { type Browser, type Page } from 'playwright-core';
import { type Options } from './options.js';
import { progress } from './progress.js';
import { type BenchReport, type Figure } from './report.js';
import { openSdkPage, type SdkPage } from './sdk-page.js';
import { quantile } from './statistics.js';

/** The goals: p99 of a call, and no task of a page that keeps it busy for 50 ms or more. */
const goal = { p99Ms: 0.2, longTasks: 0 };
const group = 'Web SDK in Chromium, messages of 1 KB';
const queued = [0, 1_000, 9_000];
const allQueued = 10_000;
const drainMs = 600_000;

interface LongTask {
  readonly startTime: number;
  readonly duration: number;
}

/** Measures the cost of `track` in a page, and the long tasks of a long queue. Needs no servers. */
export async function measureSdk({ load }: Options): Promise<BenchReport> {
  const service = await openSdkPage();
  const browser = await launchChromium();
  const reports: BenchReport[] = [];
  try {
    for (const length of queued) {
      progress(`track with ${length} events queued`);
      reports.push(await trackTimes(browser, service, length, load.calls));
    }
    progress(`${allQueued} events offline, then drained`);
    reports.push(await longQueue(browser, service));
  } finally {
    await browser.close();
    service.close();
  }
  return { figures: reports.flatMap(({ figures }) => figures), failures: reports.flatMap(({ failures }) => failures) };
}

async function trackTimes(browser: Browser, service: SdkPage, length: number, calls: number): Promise<BenchReport> {
  const times: number[] = [];
  // A queue takes no more than 10,000, so a long one is measured several times.
  while (times.length < calls) {
    const page = await openPage(browser, service);
    service.isOffline = length > 0;
    await page.evaluate(`queue(${length})`);
    await sleep(1_000);
    const some = Math.min(calls - times.length, length > 0 ? 900 : calls);
    times.push(...(await page.evaluate<number[]>(`measure(${some})`)));
    service.isOffline = false;
    await page.context().close();
  }
  const p99 = quantile(times, 0.99);
  const figure = (measure: string, value: number): Figure => ({ group, measure, unit: 'ms', sluice: value });
  const name = `track, ${length.toLocaleString('en')} queued`;
  return {
    figures: [figure(`${name}, p50`, quantile(times, 0.5)), figure(`${name}, p99`, p99)],
    failures: p99 > goal.p99Ms ? [`${name}: p99 is ${p99.toFixed(3)} ms; the goal is ${goal.p99Ms} ms`] : [],
  };
}

/** Queues offline, loads the page anew, and drains. */
async function longQueue(browser: Browser, service: SdkPage): Promise<BenchReport> {
  const page = await openPage(browser, service);
  service.isOffline = true;
  const before = service.taken();
  await page.evaluate(`queue(${allQueued - 1})`);
  await sleep(2_000);
  const queueing = await longTasks(page);
  await page.reload();
  await sleep(2_000);
  service.isOffline = false;
  await page.evaluate(`dispatchEvent(new Event('online'))`);
  const started = performance.now();
  while (service.taken() - before < allQueued && performance.now() - started < drainMs) await sleep(100);
  const seconds = (performance.now() - started) / 1_000;
  await sleep(1_000);
  const draining = await longTasks(page);
  const problems = await page.evaluate<string[]>('reports');
  const drained = service.taken() - before;
  await page.context().close();
  const figure = (measure: string, unit: string, sluice: number): Figure => ({ group, measure, unit, sluice });
  const tasks = [...queueing, ...draining];
  return {
    figures: [
      figure('10,000 queued offline, long tasks', 'tasks', queueing.length),
      figure('loaded anew and drained, long tasks', 'tasks', draining.length),
      figure('drained in, with the wait before the first try', 's', seconds),
    ],
    failures: [
      ...(tasks.length > goal.longTasks
        ? [`long tasks: ${tasks.map(({ duration }) => `${duration} ms`).join(', ')}`]
        : []),
      ...(drained < allQueued ? [`${drained} of ${allQueued} events were drained`] : []),
      ...problems.filter((problem) => !problem.endsWith(' 0')),
    ],
  };
}

async function openPage(browser: Browser, { url }: SdkPage): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  if (!(await page.evaluate<boolean>('crossOriginIsolated'))) throw new Error('the page measures in steps of 0.1 ms');
  await page.evaluate('begin()');
  return page;
}

const longTasks = (page: Page): Promise<LongTask[]> => page.evaluate<LongTask[]>('longTasks.splice(0)');
