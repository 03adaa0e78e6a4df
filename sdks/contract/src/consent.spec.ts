import { setTimeout } from 'node:timers/promises';
import { type HttpAnswer, type KeyValueStore } from '@sluice/sdk-core';
import { expect, it } from 'vitest';
import { aTab } from './a-tab.spec-support.js';
import { FakeClock } from './fake-clock.js';
import { MemoryQueue } from './memory-queue.js';

const never = (): Promise<HttpAnswer> => new Promise(() => undefined);

function someValues(stored: Record<string, string> = {}): KeyValueStore & { readonly writes: string[] } {
  const values = new Map(Object.entries(stored));
  const writes: string[] = [];
  return {
    writes,
    get: (name) => values.get(name) ?? null,
    set: (name, value) => {
      writes.push(name);
      values.set(name, value);
    },
    clear: () => values.clear(),
  };
}

const alice = { device: 'device-0', anonymousId: 'anonymous-0', userId: 'alice' };

it('another person while consent is pending is not mixed with the one that is stored', () => {
  const reset = aTab({ consent: 'pending', values: someValues(alice) }).client;
  reset.reset();
  reset.consent('granted');
  expect([reset.userId, reset.anonymousId === alice.anonymousId]).toEqual([undefined, false]);
  const bob = aTab({ consent: 'pending', values: someValues(alice) }).client;
  bob.identify('bob');
  bob.consent('granted');
  expect([bob.userId, bob.anonymousId === alice.anonymousId]).toEqual(['bob', false]);
  const same = aTab({ consent: 'pending', values: someValues(alice) }).client;
  same.identify('alice');
  same.consent('granted');
  expect([same.userId, same.anonymousId]).toEqual(['alice', alice.anonymousId]);
});

it('no id is written while consent is pending again', () => {
  const values = someValues(alice);
  const { client } = aTab({ values });
  client.consent('pending');
  values.writes.length = 0;
  client.identify('bob');
  client.reset();
  expect(values.writes).toEqual([]);
});

it('calls that wait for the values do not outlive a denial', async () => {
  let open = (): void => undefined;
  const ready = new Promise<void>((resolve) => (open = resolve));
  const { client, clock, sent } = aTab({ ready });
  client.track('before');
  client.consent('denied');
  client.consent('granted');
  client.track('after');
  open();
  await clock.advance(5_000);
  expect(sent).toEqual(['after']);
});

it.each([true, false])('events made while consent is pending again are sent, too (sender: %s)', async (isSender) => {
  const queue = new MemoryQueue();
  const { client, clock } = aTab({ queue, isSender, answer: never });
  await clock.advance(10);
  for (const event of ['a', 'b']) client.track(event);
  client.consent('pending');
  for (const event of ['c', 'd']) client.track(event);
  client.consent('granted');
  client.track('e');
  await clock.advance(5_000);
  // The tab is killed.
  const next = aTab({ queue, clock: new FakeClock(Date.UTC(2026, 0) + 60_000) });
  await next.clock.advance(60_000);
  expect([...next.sent].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('an append that ends after a denial brings nothing back', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0));
  const queue = new MemoryQueue();
  const append = queue.append.bind(queue);
  const slow = (...call: Parameters<MemoryQueue['append']>) =>
    new Promise((resolve) => {
      clock.later(100, () => resolve(append(...call)));
    });
  Object.assign(queue, { append: slow });
  const { client, sent } = aTab({ queue, clock });
  client.track('a');
  await clock.advance(150);
  client.track('b');
  await clock.advance(10);
  client.consent('denied');
  await clock.advance(1_000);
  client.consent('granted');
  await clock.advance(5_000);
  expect([sent, await client.flush()]).toEqual([[], { sent: 0, left: 0 }]);
});

it.each(['none', 'full'])('a tab that is not the sender sends what no store has (store: %s)', async (store) => {
  const queue = new MemoryQueue();
  queue.isFull = true;
  const { client, clock, sent } = aTab({ ...(store === 'full' && { queue }), isSender: false });
  client.track('a');
  await clock.advance(5_000);
  expect(sent).toEqual(['a']);
});

it('messages that a store refuses one at a time go out once, each under a key of its own', async () => {
  const queue = new MemoryQueue();
  const append = queue.append.bind(queue);
  queue.append = (batch, index, text) => {
    if (index > 0) throw new Error('too large');
    return append(batch, index, text);
  };
  const { client, clock, sent, keys } = aTab({ queue, consent: 'pending' });
  for (const event of ['a', 'b', 'c', 'd', 'e']) client.track(event);
  client.consent('granted');
  await clock.advance(5_000);
  expect(sent).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(new Set(keys).size).toBe(keys.length);
  expect(await client.flush()).toEqual({ sent: 0, left: 0 });
});

it('flush right after the start sends what was tracked', async () => {
  const queue = new MemoryQueue();
  const list = queue.list.bind(queue);
  const slow = async () => {
    await setTimeout(20);
    return list();
  };
  const { client, sent } = aTab({ queue: Object.assign(queue, { list: slow as unknown as typeof list }) });
  client.track('a');
  expect([await client.flush(), sent]).toEqual([{ sent: 1, left: 0 }, ['a']]);
});

it('ready batches are sent when the page hides, while another seal has no answer', async () => {
  const queue = new MemoryQueue();
  const seal = queue.seal.bind(queue);
  let seals = 0;
  // The store never answers the first seal, but answers the others.
  Object.assign(queue, {
    seal: (batch: Parameters<typeof seal>[0]) => (++seals === 1 ? new Promise(() => undefined) : seal(batch)),
  });
  const { client, clock, sent, signal } = aTab({ queue, flushAt: 1, answer: never });
  await clock.advance(10);
  for (const event of ['stuck', 'a', 'b']) client.track(event);
  await clock.advance(10);
  signal('hide');
  await clock.advance(10);
  expect([...sent].sort()).toEqual(['a', 'b']);
});
