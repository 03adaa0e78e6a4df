import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded } from '@sluice/sdk-contract';
import { Books } from '../browser/books.js';
import { type BrowserOutcome, harm } from '../browser/run.js';
import { readRows } from '../browser/stored-rows.js';
import { faults } from '../proxy/fault.js';
import { FaultProxy } from '../proxy/fault-proxy.js';
import { drain } from '../run/drain.js';
import { settled } from '../run/settled.js';
import { type Stack } from '../run/stack.js';
import { batchesInWords } from './backlog.js';
import { NodeDevice } from './device.js';
import { doublesOf } from './doubles.js';
import { type NodeRunOptions } from './options.js';
import { eventName } from './work.js';

/** Half a minute of silence is one second. */
const speed = 30;
/** Slower at the end: a busy machine may take more than a second for an answer, which would be a fault. */
const calmSpeed = 3;
/** Time in which something must be sent: many times longer than any client waits between two tries. */
const calmMs = 300_000;
const maxLines = 20;
/** Part of a second in which a batch is collected, in the clients' time. */
const flushInterval = 1_500;

/** Processes that share directories meet faults; then all works, what waits is sent, and the rows are counted. */
export async function runNode(options: NodeRunOptions, stack: Stack): Promise<BrowserOutcome> {
  const counts = new Map<string, number>();
  let total = 0;
  const fault = (name: string): void => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (++total % 1_000 === 0) console.error(`${total} faults`);
  };
  const run = randomUUID().slice(0, 8);
  const folder = await mkdtemp(join(tmpdir(), 'sluice-node-faults-'));
  const proxy = await FaultProxy.start(stack.gateway.url);
  const client = { credentials: stack.source, apiHost: proxy.url, flushInterval };
  const around = {
    options: client,
    run,
    speed,
    calmSpeed,
    beganAt: Date.now(),
    folder,
    random: seeded(options.seed),
    fault,
    mutant: options.mutant,
  };
  const devices = Array.from({ length: options.devices }, (_, index) => new NodeDevice(around, index));
  if (!devices.every(({ isDiskReal }) => isDiskReal)) console.error('no right to mount: full disks are simulated');
  try {
    const until = performance.now() + options.durationMs;
    const isOver = (): boolean => performance.now() > until || total >= options.faults;
    await Promise.all([...devices.map((device) => device.live(isOver)), harm(proxy, options.seed, fault, isOver)]);

    console.error('no more faults; what waits is sent');
    proxy.choose = () => faults.none;
    const waiting = await calm(devices);
    const books = new Books();
    const unwritten = accountOf(devices, books);
    console.error('rows are counted');
    const stored = await settled(() => readRows(stack, run, eventName), {
      count: ({ rows }) => rows,
      isWhole: ({ numbers }) => Object.values(books.missing(numbers)).every((count) => count === 0),
    });
    const doubles = stored.doubled > 0 ? await doublesOf(stack, run, eventName) : [];
    for (const line of [...books.lost(stored.numbers).slice(0, maxLines), ...doubles]) console.error(line);
    const { taken, tabs, reports, reported } = books;
    const unnoted = books.unnoted(stored.numbers);
    const missing = books.missing(stored.numbers);
    return { faults: counts, taken, tabs: tabs.size, reports, reported, missing, waiting, stored, unwritten, unnoted };
  } finally {
    for (const device of devices) await device.stop();
    await proxy.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The number of batches that could not be sent, which are named. */
async function calm(devices: readonly NodeDevice[]): Promise<number> {
  await Promise.all(devices.map((device) => device.calmDown()));
  const waiting = (): string[] => devices.flatMap((device) => device.waiting());
  const left = await drain(() => waiting().length, { what: 'batches', timeoutMs: calmMs });
  if (left > 0) for (const line of batchesInWords(waiting()).slice(0, maxLines)) console.error(line);
  return left;
}

/** Messages that no file had when `track` returned: of all devices. */
function accountOf(devices: readonly NodeDevice[], books: Books): { told: number; silent: number } {
  const sum = { told: 0, silent: 0 };
  for (const { told, silent } of devices.map((device) => device.account(books))) {
    sum.told += told;
    sum.silent += silent;
  }
  return sum;
}
