import { type HttpAnswer, createCore } from '@sluice/sdk-core';
import { MemoryQueue } from './memory-queue.js';
import { seeded } from './simulation.js';

export interface Storm {
  readonly clients: number;
  readonly mean: number;
  readonly busiest: number;
  readonly ratio: number;
}

const minute = 60_000;

/** Timers of all clients in one heap, because 10,000 clients have about 10,000 timers at a time. */
class Timers {
  now = 0;
  private readonly heap: { due: number; work: (() => void) | undefined }[] = [];

  later(ms: number, work: () => void): () => void {
    const timer: { due: number; work: (() => void) | undefined } = { due: this.now + ms, work };
    const { heap } = this;
    let index = heap.push(timer) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if ((heap[parent]?.due ?? 0) <= timer.due) break;
      heap[index] = heap[parent] ?? timer;
      index = parent;
    }
    heap[index] = timer;
    return () => {
      timer.work = undefined;
    };
  }

  async runUntil(end: number): Promise<void> {
    for (let first = this.heap[0]; first && first.due <= end; first = this.heap[0]) {
      this.pop();
      this.now = first.due;
      if (!first.work) continue;
      first.work();
      // Lets promise callbacks run before time passes.
      for (let turn = 0; turn < 40; turn++) await Promise.resolve();
    }
    this.now = end;
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const leftChild = 2 * index + 1;
      const child =
        (heap[leftChild + 1]?.due ?? Infinity) < (heap[leftChild]?.due ?? Infinity) ? leftChild + 1 : leftChild;
      const smaller = heap[child];
      if (!smaller || smaller.due >= last.due) break;
      heap[index] = smaller;
      index = child;
    }
    heap[index] = last;
  }
}

/** Simulates clients during an outage of ten minutes, and counts requests per second in the minute after it. */
export async function storm(clients: number, seed: number, outage: 'silent' | 'refusing'): Promise<Storm> {
  const timers = new Timers();
  const random = seeded(seed);
  const [begin, end] = [minute, 11 * minute];
  const seconds = new Array<number>(60).fill(0);
  const exchange = async (): Promise<HttpAnswer> => {
    const { now } = timers;
    const second = Math.floor((now - end) / 1_000);
    if (second >= 0 && second < 60) seconds[second] = (seconds[second] ?? 0) + 1;
    const isDown = now >= begin && now < end;
    await new Promise<void>((resolve) => void timers.later(20 + random() * 80, resolve));
    if (isDown && outage === 'silent') throw new TypeError('no answer');
    const body = isDown ? '[{"field":"","message":"error.service.unavailable"}]' : '{"status":"QUEUED"}';
    return { status: isDown ? 503 : 200, body, header: (name) => (isDown && name === 'retry-after' ? '1' : null) };
  };
  for (let index = 0; index < clients; index++) startClient(timers, random, exchange);
  await timers.runUntil(end + minute);
  const mean = seconds.reduce((sum, count) => sum + count, 0) / seconds.length;
  const busiest = Math.max(...seconds);
  return { clients, mean, busiest, ratio: busiest / mean };
}

function startClient(timers: Timers, random: () => number, exchange: () => Promise<HttpAnswer>): void {
  const values = new Map<string, string>();
  const client = createCore(
    { credentials: { apiKey: 'k', sourceIdentifier: 'Source000001' }, host: 'https://sluice.test' },
    {
      sdk: { name: 'storm', version: '1' },
      clock: {
        now: () => timers.now + Date.UTC(2026, 0, 31),
        monotonic: () => timers.now,
        later: (ms, work) => timers.later(ms, work),
      },
      random: { fraction: random, uuid: () => Math.floor(random() * 2 ** 50).toString(36) },
      values: {
        get: (name) => values.get(name) ?? null,
        set: (name, value) => void values.set(name, value),
        clear: () => undefined,
      },
      queue: new MemoryQueue(),
      transport: { send: () => ({ answer: exchange(), abort: () => undefined }) },
      lifecycle: { subscribe: () => () => undefined },
    },
  );
  const tick = (): void => {
    client.track('page_view', { path: '/' });
    timers.later(random() * 8 * minute, tick);
  };
  timers.later(random() * 4 * minute, tick);
}
