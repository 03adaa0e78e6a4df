import { setImmediate } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type HttpAnswer, type HttpRequest } from '@sluice/sdk-core';
import { expect, it } from 'vitest';
import { aTab } from './a-tab.spec-support.js';
import { FakeClock } from './fake-clock.js';
import { MemoryQueue } from './memory-queue.js';

const failed = (): Promise<HttpAnswer> => Promise.reject(new Error('Failed to fetch'));
const answered = (status: number, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
  Promise.resolve({
    status,
    body: status === 200 ? '{"status":"QUEUED"}' : '[{"field":"","message":"error.request.malformed"}]',
    header: (name) => headers[name] ?? null,
  });
/** A clock that lets a body be compressed before time goes on. */
const aClock = () =>
  new FakeClock(Date.UTC(2026, 0), async () => {
    for (let turn = 0; turn < 5; turn++) await setImmediate();
  });
/** Compresses like a browser: in another task. */
const pack = async (body: string) => {
  await setImmediate();
  return new Uint8Array(gzipSync(body));
};
/** Fills a batch of 48 KiB almost alone. */
const large = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index}`, 'x'.repeat(1_000)]));

/** A request that fails when `fail` is called. */
function aFailingRequest() {
  let fail = (): void => undefined;
  const answer = new Promise<HttpAnswer>((_, reject) => {
    fail = () => {
      reject(new Error('Failed to fetch'));
    };
  });
  return { answer: () => answer, fail: () => fail() };
}

it.each([
  ['before', 10],
  ['at the moment at which', 0],
])('the tail goes out although a request fails %s the page hides', async (_, ms) => {
  const request = aFailingRequest();
  const { client, clock, sent, signal } = aTab({ queue: new MemoryQueue(), answer: request.answer });
  client.track('page_view');
  await clock.advance(2_500);
  client.track('outbound_click');
  request.fail();
  await clock.advance(ms);
  signal('hide');
  await clock.advance(1);
  expect(sent).toEqual(['page_view', 'outbound_click']);
});

it('a hidden page sends each batch once while the service is unreachable', async () => {
  const { client, clock, sent, signal } = aTab({ queue: new MemoryQueue(), answer: failed });
  client.track('a');
  for (let hides = 0; hides < 20; hides++) {
    signal('hide');
    await clock.advance(1);
  }
  expect(sent).toEqual(['a']);
});

it('a page that hides keeps to the Retry-After of the service', async () => {
  const answer = () => answered(429, { 'retry-after': '60' });
  const { client, clock, sent, signal } = aTab({ queue: new MemoryQueue(), answer });
  client.track('a');
  await clock.advance(2_500);
  client.track('b');
  signal('hide');
  await clock.advance(1);
  expect(sent).toEqual(['a']);
});

it.each([undefined, pack])(
  'a page that hides sends what fits into 60 KiB of bodies (compressed: %s)',
  async (packs) => {
    const { client, clock, sent, signal } = aTab({
      queue: new MemoryQueue(),
      clock: aClock(),
      answer: () => new Promise(() => undefined),
      ...(packs && { pack: packs }),
    });
    await clock.advance(1);
    for (const event of ['a', 'b', 'c', 'd', 'e']) client.track(event, large);
    await clock.advance(10);
    signal('hide');
    await clock.advance(10);
    expect([...sent].sort()).toEqual(packs ? ['a', 'b', 'c', 'd', 'e'] : ['a', 'b']);
  },
);

it('a tab of which nobody knows yet whether it sends has its first batches when it hides', async () => {
  const { client, clock, sent, signal } = aTab({ queue: new MemoryQueue(), isSender: undefined, flushAt: 1 });
  await clock.advance(1);
  client.track('a');
  await clock.advance(1);
  expect(sent).toEqual([]);
  signal('hide');
  await clock.advance(1);
  expect(sent).toEqual(['a']);
});

it.each(['flush', 'close'] as const)('%s waits until a body is compressed, and sends it', async (method) => {
  const { client, sent } = aTab({ queue: new MemoryQueue(), pack });
  client.track('a', large);
  expect([await client[method](), sent]).toEqual([{ sent: 1, left: 0 }, ['a']]);
});

it('a body that is never compressed goes out as it is', async () => {
  const { client, clock, sent } = aTab({ queue: new MemoryQueue(), pack: () => new Promise(() => undefined) });
  client.track('a', large);
  await clock.advance(5_000);
  expect(sent).toEqual(['a']);
});

it('nothing of an earlier page is sent after a denial, also while its body is being compressed', async () => {
  const queue = new MemoryQueue();
  const before = aTab({ queue, isSender: false });
  before.client.track('a', large);
  await before.clock.advance(5_000);
  let compressed = (): void => undefined;
  const slowPack = (body: string) =>
    new Promise<Uint8Array<ArrayBuffer>>((resolve) => {
      compressed = () => {
        resolve(new Uint8Array(gzipSync(body)));
      };
    });
  const { client, clock, sent } = aTab({ queue, pack: slowPack });
  await clock.advance(10);
  client.consent('denied');
  compressed();
  await clock.advance(5_000);
  expect(sent).toEqual([]);
});

it('a compressed body is the body', async () => {
  const requests: HttpRequest[] = [];
  const { client, clock } = aTab({
    pack,
    clock: aClock(),
    answer: (request) => (requests.push(request), answered(200)),
  });
  client.track('a', large);
  client.track('small');
  await clock.advance(5_000);
  expect(requests.map(({ packed, body }) => packed && gunzipSync(packed).toString() === body)).toEqual([true]);
});

it.each([
  ['refused', () => answered(415), 1],
  ['answered by something else', () => answered(400).then((answer) => ({ ...answer, body: 'Bad request' })), 3],
  ['not answered', failed, 3],
])('a batch of which the compressed body is %s goes out uncompressed', async (_, answer, tries) => {
  const requests: HttpRequest[] = [];
  const answers = (request: HttpRequest): Promise<HttpAnswer> => {
    requests.push(request);
    return request.packed ? answer() : answered(200);
  };
  const { client, clock } = aTab({ queue: new MemoryQueue(), pack, clock: aClock(), answer: answers });
  client.track('a', large);
  await clock.advance(120_000);
  client.track('b', large);
  await clock.advance(5_000);
  expect(requests.map(({ packed }) => !!packed)).toEqual([...Array.from({ length: tries }, () => true), false, false]);
  expect(await client.flush()).toEqual({ sent: 0, left: 0 });
});
