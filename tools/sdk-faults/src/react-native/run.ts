import { randomUUID } from 'node:crypto';
import { seeded } from '@sluice/sdk-contract';
import { Books } from '../browser/books.js';
import { type BrowserOutcome, harm } from '../browser/run.js';
import { readRows } from '../browser/stored-rows.js';
import { faults } from '../proxy/fault.js';
import { FaultProxy } from '../proxy/fault-proxy.js';
import { drain } from '../run/drain.js';
import { settled } from '../run/settled.js';
import { type Stack } from '../run/stack.js';
import { AppDevice } from './app-device.js';
import { eventName } from './life.js';
import { type AppOptions } from './options.js';

/** Time of the apps passes so much faster: a request is given up after 1.5 seconds. */
const speed = 20;
/** Time in which something must be sent: many times longer than any client waits between two tries. */
const calmMs = 300_000;

/** Apps as processes meet faults; then all works, what waits is sent, and the rows are counted. */
export async function runApps(options: AppOptions, stack: Stack): Promise<BrowserOutcome> {
  const counts = new Map<string, number>();
  let total = 0;
  const fault = (name: string): void => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (++total % 500 === 0) console.error(`${total} faults`);
  };
  const run = randomUUID().slice(0, 8);
  const books = new Books();
  const proxy = await FaultProxy.start(stack.gateway.url);
  const { seed, mutant } = options;
  const life = { host: proxy.url, credentials: stack.source, run, speed, since: Date.now(), mutant };
  const around = { books, random: seeded(seed), fault, life };
  const devices: AppDevice[] = [];
  try {
    for (let index = 0; index < options.devices; index++) devices.push(await AppDevice.start(around, index));
    const until = performance.now() + options.durationMs;
    const isOver = (): boolean => performance.now() > until || total >= options.faults;
    await Promise.all([...devices.map((device) => device.live(isOver)), harm(proxy, seed, fault, isOver)]);

    console.error('no more faults; what waits is sent');
    proxy.choose = () => faults.none;
    const waiting = await calm(devices);
    console.error('rows are counted');
    const stored = await settled(() => readRows(stack, run, eventName), {
      count: ({ rows }) => rows,
      isWhole: ({ numbers }) => books.missing(numbers).none === 0,
    });
    const missing = books.missing(stored.numbers);
    for (const line of books.lost(stored.numbers)) console.error(line);
    const { taken, tabs, reports, reported } = books;
    return { faults: counts, taken, tabs: tabs.size, reports, reported, missing, waiting, stored };
  } finally {
    for (const device of devices) await device.stop();
    await proxy.stop();
  }
}

/** The number of phones that could not send all they had. */
async function calm(devices: readonly AppDevice[]): Promise<number> {
  for (const device of devices) await device.calmDown();
  const waiting = (): AppDevice[] => devices.filter((device) => !device.isEmpty());
  const left = await drain(() => waiting().length, { what: 'phones', timeoutMs: calmMs });
  for (const device of waiting()) console.error(device.leftInWords());
  return left;
}
