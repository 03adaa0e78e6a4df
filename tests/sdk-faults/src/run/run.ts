import { randomUUID } from 'node:crypto';
import { seeded } from '@sluice/sdk-contract';
import { Books } from '../ledger/books.js';
import { type RunOutcome } from '../ledger/outcome.js';
import { faults } from '../proxy/fault.js';
import { FaultProxy } from '../proxy/fault-proxy.js';
import { waitUntilDrained } from './drain.js';
import { unmetKinds } from './kinds.js';
import { type FaultRunOptions } from './options.js';
import { type Around, type Clients, type Platform } from './platform.js';
import { settled } from './settled.js';
import { type FaultStack } from './stack.js';

const progressEvery = 500;
/** Many times longer than any client waits between two tries; a machine may be busy. */
const calmTimeoutMs = 600_000;
const maxLines = 20;

/** Clients of a platform meet faults; then all works, what waits is sent, and the rows are counted. */
export async function runClients(platform: Platform, options: FaultRunOptions, stack: FaultStack): Promise<RunOutcome> {
  const counts = new Map<string, number>();
  let total = 0;
  const fault = (name: string): void => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (++total % progressEvery === 0) console.error(`${total} faults`);
  };
  const proxy = await FaultProxy.start(stack.gateway.url);
  const around: Around = {
    options,
    stack,
    proxy,
    fault,
    random: seeded(options.seed),
    run: randomUUID().slice(0, 8),
    beganAt: Date.now(),
    books: new Books(),
  };
  const until = performance.now() + options.durationMs;
  const isOver = (): boolean =>
    performance.now() > until || (total >= options.limit && unmetKinds(counts, platform.notDrawn).length === 0);
  let clients: Clients | undefined;
  try {
    clients = await platform.start(around);
    await Promise.all([clients.live(isOver), platform.injectServiceFaults(around, isOver)]);
    console.error('no more faults; what waits is sent');
    proxy.choose = () => faults.none;
    const waiting = await calm(platform, clients);
    const unwritten = clients.account?.();
    return { faults: counts, waiting, ...(unwritten && { unwritten }), ...(await counted(platform, around)) };
  } finally {
    await clients?.stop();
    await proxy.stop();
  }
}

/** Lets clients send what is left. Resolves with the number of devices or batches that could not be sent. */
async function calm(platform: Platform, clients: Clients): Promise<number> {
  await clients.calmDown();
  const leftCount = await waitUntilDrained(() => clients.waiting(), {
    noun: platform.words.waiting,
    timeoutMs: calmTimeoutMs,
  });
  if (leftCount > 0) for (const line of clients.waitingInWords().slice(0, maxLines)) console.error(line);
  return leftCount;
}

/** Compares the books with the rows. */
async function counted(
  platform: Platform,
  around: Around,
): Promise<Omit<RunOutcome, 'faults' | 'waiting' | 'unwritten'>> {
  const { books } = around;
  console.error('rows are counted');
  const stored = await settled(() => platform.readRows(around), {
    count: ({ rows }) => rows,
    isWhole: ({ numbers }) => Object.values(books.missing(numbers)).every((count) => count === 0),
  });
  const doubles = stored.doubled > 0 ? ((await platform.doublesInWords?.(around)) ?? []) : [];
  for (const line of [...books.lost(stored.numbers).slice(0, maxLines), ...doubles]) console.error(line);
  const { taken: takenCount, tabs, reports, reported } = books;
  const missing = books.missing(stored.numbers);
  return {
    taken: takenCount,
    clients: tabs.size,
    reports,
    reported,
    missing,
    stored,
    unnoted: books.unnoted(stored.numbers),
  };
}
