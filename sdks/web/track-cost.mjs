// Measures what `track` of an event of 1 KB costs its caller, by the length of the queue, without a service.
// localStorage and IndexedDB are the in-memory ones of the tests: a browser adds the cost of its own.
import { setTimeout } from 'node:timers/promises';
import { createCore } from '@sluice/sdk-core';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { createDatabase } from './dist/queue/database.js';
import { fakeStorage } from './dist/queue/fake-storage.spec-support.js';
import { Journal } from './dist/queue/journal.js';
import { WebQueue } from './dist/queue/web-queue.js';
import { pageClock } from './dist/page/page-clock.js';
import { createValues } from './dist/page/values.js';

globalThis.IDBKeyRange = IDBKeyRange;
const lengths = [0, 1_000, 9_000];
const calls = 100;
const rounds = 9;
const properties = { text: 'x'.repeat(700), total: 49.9 };
const options = { credentials: { apiKey: 'key', sourceIdentifier: 'Source000001' }, host: 'https://sluice.test' };

function aClient() {
  const storage = fakeStorage();
  const factory = new IDBFactory();
  const page = {
    ...{ owner: 'page', isLeaving: () => false, isSender: () => true },
    ...{ isOwned: () => () => true, wake: () => undefined },
  };
  return createCore(options, {
    sdk: { name: 'track-cost', version: '1.0.0' },
    clock: pageClock,
    random: { fraction: Math.random, uuid: () => crypto.randomUUID() },
    values: createValues('Source000001', storage),
    queue: new WebQueue(
      new Journal(storage),
      createDatabase(() => factory),
      page,
    ),
    transport: { send: () => ({ answer: Promise.reject(new TypeError('offline')), abort: () => undefined }) },
    lifecycle: { subscribe: () => () => undefined },
  });
}

/** Milliseconds of each call. IndexedDB works between the calls, as it does in a page. */
async function measure(client, count) {
  const times = [];
  for (let at = 0; at < count; at++) {
    const start = performance.now();
    client.track('viewed', properties);
    times.push(performance.now() - start);
    if (at % 10 === 9) await setTimeout(0);
  }
  return times.sort((one, other) => one - other);
}

const quantile = (times, share) => times[Math.floor(times.length * share)] ?? 0;

const median = (values) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

await measure(aClient(), calls * rounds);
for (const length of lengths) {
  const client = aClient();
  await measure(client, length);
  const { left } = await client.flush();
  const times = [];
  // The median of the rounds leaves out those in which other programs had the processor.
  for (let round = 0; round < rounds; round++) times.push(await measure(client, calls));
  const [half, most] = [0.5, 0.99].map((share) => median(times.map((round) => quantile(round, share))).toFixed(3));
  console.log(`${left} queued: p50 ${half} ms, p99 ${most} ms`);
}
process.exit();
