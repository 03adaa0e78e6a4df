import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from '@sluice/sdk-contract';
import { type Fault, faults } from '../proxy/fault.js';
import { FaultProxy } from '../proxy/fault-proxy.js';
import { type FaultShares, faultsBySeed } from '../proxy/faults-by-seed.js';
import { unmetKinds } from '../run/kinds.js';
import { settled } from '../run/settled.js';
import { type Stack } from '../run/stack.js';
import { Books, type Risk } from './books.js';
import { BrowserDevice } from './device.js';
import { type BrowserOptions } from './options.js';
import { eventName, pageText } from './page-script.js';
import { browser } from './report.js';
import { openSite } from './site.js';
import { readRows, type StoredRows } from './stored-rows.js';

/** Far longer than any page waits between two tries: the machine may be busy. */
const calmMs = 600_000;
/** Seconds after which a page that still waits is loaded anew. */
const againAfter = 15;
const pollMs = 1_000;
const maxOutageMs = 6_000;

/** Requests of a hundred that suffer each fault. */
const shares: FaultShares = {
  cutBefore: 6,
  cutMidRequest: 6,
  cutAfter: 10,
  cutMidAnswer: 5,
  resetBefore: 6,
  resetAfter: 8,
  silence: 2,
  silenceAfter: 3,
  delay: 8,
  rateLimited: 5,
  unavailable: 5,
  portal: 2,
  portalRedirect: 2,
  badGateway: 2,
  gatewayTimeout: 4,
};

/** Times in which every request meets the same fault. */
const outages: readonly [name: string, fault: Fault][] = [
  ['5xx for a while', faults.unavailable(5)],
  ['no service for a while', faults.resetBefore],
  ['key revoked for a while', faults.unauthorized],
];

export interface BrowserOutcome {
  readonly faults: ReadonlyMap<string, number>;
  readonly taken: number;
  readonly tabs: number;
  readonly reports: ReadonlyMap<string, number>;
  readonly reported: number;
  readonly missing: Record<Risk, number>;
  /** Browsers that could not send all they had. */
  readonly waiting: number;
  readonly stored: StoredRows;
  /** Messages that no file had when they were taken; `silent` without a word to errorHandler. Of processes only. */
  readonly unwritten?: { readonly told: number; readonly silent: number };
  /** Messages that are stored and that nobody noted: of all processes, and of the one with most. */
  readonly unnoted?: { readonly all: number; readonly most: number };
}

/** Pages in real browsers meet faults; then all works, what waits is sent, and the rows are counted. */
export async function runBrowsers(options: BrowserOptions, stack: Stack): Promise<BrowserOutcome> {
  const counts = new Map<string, number>();
  let total = 0;
  const fault = (name: string): void => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (++total % 100 === 0) console.error(`${total} faults`);
  };
  const run = randomUUID().slice(0, 8);
  const books = new Books();
  const proxy = await FaultProxy.start(stack.gateway.url);
  const client = { credentials: stack.source, host: { apiPath: proxy.url }, flushInterval: 200 };
  const site = await openSite(pageText(run, client));
  const around = { books, siteUrl: site.url, beganAt: Date.now(), random: seeded(options.seed), fault };
  const devices: BrowserDevice[] = [];
  try {
    for (let index = 0; index < options.devices; index++) devices.push(await BrowserDevice.start(around, index));
    const until = performance.now() + options.durationMs;
    const isOver = (): boolean =>
      performance.now() > until || (total >= options.faults && unmetKinds(counts, browser.notDrawn).length === 0);
    await Promise.all([...devices.map((device) => device.live(isOver)), harm(proxy, options.seed, fault, isOver)]);

    console.error('no more faults; what waits is sent');
    proxy.choose = () => faults.none;
    const waiting = await calm(devices);
    console.error(`${waiting} browsers still wait; rows are counted`);
    const stored = await settled(() => readRows(stack, run, eventName), {
      count: ({ rows }) => rows,
      isWhole: ({ numbers }) => Object.values(books.missing(numbers)).every((count) => count === 0),
    });
    const missing = books.missing(stored.numbers);
    for (const line of books.lost(stored.numbers)) console.error(line);
    const { taken, tabs, reports, reported } = books;
    return { faults: counts, taken, tabs: tabs.size, reports, reported, missing, waiting, stored };
  } finally {
    for (const device of devices) await device.stop();
    site.close();
    await proxy.stop();
  }
}

/** Requests meet faults by their shares, and now and then an outage. */
export async function harm(
  proxy: FaultProxy,
  seed: number,
  count: (name: string) => void,
  isOver: () => boolean,
): Promise<void> {
  const random = seeded(seed + 1);
  const usual = faultsBySeed(seed + 2, shares, count);
  while (!isOver()) {
    proxy.choose = usual;
    await sleep(random() * 2 * maxOutageMs);
    const [name, fault] = outages[Math.floor(random() * outages.length)] ?? ['', faults.none];
    proxy.choose = () => {
      count(name);
      return fault;
    };
    await sleep(random() * maxOutageMs);
  }
}

/** The number of browsers that could not send all they had. */
async function calm(devices: readonly BrowserDevice[]): Promise<number> {
  for (const device of devices) await device.calmDown();
  for (const device of devices) await device.rest();
  const until = performance.now() + calmMs;
  let waiting = devices.map((device) => ({ device, left: '' }));
  for (let polls = 1; waiting.length > 0 && performance.now() < until; polls++) {
    await sleep(pollMs);
    if (polls % againAfter === 0) await Promise.all(waiting.map(({ device }) => device.reload()));
    const now = await Promise.all(
      waiting.map(async ({ device }) => ({ device, left: (await device.drain().catch(String)) ?? '' })),
    );
    waiting = now.filter(({ left }) => left !== '');
  }
  for (const { left } of waiting) console.error(`still waiting: ${left}`);
  return waiting.length;
}
