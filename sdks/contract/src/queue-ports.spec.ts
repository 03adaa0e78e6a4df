import { setTimeout } from 'node:timers/promises';
import { type QueueStore, type SluiceError } from '@sluice/sdk-core';
import { expect, it } from 'vitest';
import { aTab } from './a-tab.spec-support.js';
import { MemoryQueue } from './memory-queue.js';

const offline = { answer: () => Promise.reject(new Error('no answer')), flushAt: 2 };

it('the platform gets the number of waiting messages', async () => {
  const { client, queued, clock } = aTab(offline);
  for (const event of ['a', 'b', 'c']) client.track(event);
  await clock.advance(10_000);
  expect(queued.at(-1)).toBe(3);
  expect(Math.max(...queued)).toBe(3);
});

it('texts that the store has leave the memory, and are read from it for each try', async () => {
  const store = Object.assign(new MemoryQueue(), { hasTexts: true });
  const { client, clock, bodies } = aTab({ ...offline, queue: store });
  client.track('a');
  client.track('b');
  await clock.advance(60_000);
  expect(bodies.length).toBeGreaterThan(1);
  expect(new Set(bodies).size).toBe(1);
  expect(bodies[0]).toContain('"event":"b"');
  const [only] = store.batches.values();
  only?.texts.splice(0, 1, '{"changed":true}');
  await clock.advance(120_000);
  expect(bodies.at(-1)).toContain('changed');
});

it('a store that refuses every call for a while stops nothing: the batch is sent when the store works again', async () => {
  const store = new MemoryQueue();
  const first = aTab({ ...offline, queue: store });
  first.client.track('a');
  await first.clock.advance(3_000);
  const calls = ['update', 'read'] as const;
  for (const name of calls)
    store[name] = () => {
      throw new Error('no answer');
    };
  const before = first.bodies.length;
  await first.clock.advance(10 * 60_000);
  // The client's own batch is in memory, and is tried all the same.
  expect(first.bodies.length).toBeGreaterThan(before);
  const second = aTab({ ...offline, queue: store });
  await second.clock.advance(10 * 60_000);
  expect(second.bodies).toEqual([]);
  for (const name of calls) Reflect.deleteProperty(store, name);
  await second.clock.advance(10 * 60_000);
  expect(second.bodies.length).toBeGreaterThan(0);
});

it('a batch that is given up while a slow store is listed is reported once', async () => {
  const store = new MemoryQueue();
  const reports: SluiceError[] = [];
  const options = { maxAge: 60_000, errorHandler: (error: SluiceError) => void reports.push(error) };
  const { client, clock, signal } = aTab({ ...offline, ...options, queue: store });
  client.track('a');
  client.track('b');
  await clock.advance(50_000);
  const before = store.list();
  let isListed: (batches: typeof before) => void = () => undefined;
  store.list = () => new Promise((resolve) => (isListed = resolve)) as never;
  signal('wake');
  await clock.advance(120_000);
  expect(store.batches.size).toBe(0);
  isListed(before);
  await clock.advance(120_000);
  const lost = reports.filter(({ count }) => count);
  expect(lost.map(({ code, count }) => [code, count])).toEqual([['expired', 2]]);
});

it('a store that changes often is listed once at a time, and once more for what changed since', async () => {
  const store = new MemoryQueue();
  const { clock, signal } = aTab({ ...offline, queue: store });
  await clock.advance(1_000);
  const answers: ((batches: []) => void)[] = [];
  store.list = () => new Promise((resolve) => answers.push(resolve)) as never;
  for (let times = 0; times < 10; times++) signal('wake');
  await clock.advance(1_000);
  expect(answers).toHaveLength(1);
  answers[0]?.([]);
  await clock.advance(1_000);
  expect(answers).toHaveLength(2);
  answers[1]?.([]);
  await clock.advance(1_000);
  expect(answers).toHaveLength(2);
});

it('flush waits for a full batch that the store is still sealing', async () => {
  const store = new MemoryQueue();
  const seal = store.seal.bind(store);
  const slow: QueueStore['seal'] = async (batch) => {
    await setTimeout(20);
    return seal(batch);
  };
  const { client, bodies } = aTab({ ...offline, queue: Object.assign(store, { seal: slow as MemoryQueue['seal'] }) });
  client.track('a');
  client.track('b');
  await client.flush();
  expect(bodies).toHaveLength(1);
});

it('messages that no store has confirmed are noted, until they are stored or sent', async () => {
  const store = new MemoryQueue();
  const append = store.append.bind(store);
  const answers: (() => void)[] = [];
  const slow = (...call: Parameters<typeof append>) =>
    new Promise((resolve) => {
      answers.push(() => resolve(append(...call)));
    });
  const { client, clock, unsaved } = aTab({ queue: Object.assign(store, { append: slow as never }) });
  for (const event of ['a', 'b', 'c']) client.track(event);
  expect(unsaved).toEqual([1, 2, 3]);
  answers.shift()?.();
  await clock.advance(1);
  expect(unsaved.at(-1)).toBe(2);
  for (const answer of answers.splice(0)) answer();
  await clock.advance(5_000);
  expect(unsaved.at(-1)).toBe(0);
});

it('messages of a full store stay noted until the service has them', async () => {
  const queue = new MemoryQueue();
  queue.isFull = true;
  const { client, clock, unsaved, sent } = aTab({ queue });
  for (const event of ['a', 'b']) client.track(event);
  expect(unsaved.at(-1)).toBe(2);
  await clock.advance(5_000);
  expect([sent, unsaved.at(-1)]).toEqual([['a', 'b'], 0]);
});

it('the next start reports what a kill took, and counts it in the messages that follow', async () => {
  const reports: [string, number | undefined][] = [];
  const { client, clock, bodies } = aTab({
    queue: new MemoryQueue(),
    lostBefore: () => 7,
    errorHandler: ({ code, count }) => reports.push([code, count]),
  });
  await clock.advance(1);
  client.track('a');
  await clock.advance(5_000);
  expect(reports).toContainEqual(['storage', 7]);
  expect(bodies[0]).toContain('"lost":7');
});
