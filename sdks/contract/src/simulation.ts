import {
  type Batch,
  type Client,
  createCore,
  type HttpAnswer,
  type HttpRequest,
  type LifecycleEvent,
  type MaybePromise,
  type Ports,
  type QueueStore,
} from '@sluice/sdk-core';
import { FakeClock } from './fake-clock.js';
import { MemoryDevice, type Device } from './device.js';
import { ModelServer } from './model-server.js';

/** Pseudorandom numbers from 0 to under 1 (mulberry32); the same seed gives the same numbers. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Outcome {
  readonly taken: number;
  readonly faults: number;
  /** Messages that the service stored more than once. */
  readonly doubled: readonly number[];
  /** Messages that were in the store and were neither delivered nor cleared by the simulation. */
  readonly lost: readonly number[];
  /** Number of messages that errorHandler reported as lost. */
  readonly reported: number;
  /** Batches that are still pending at the end. */
  readonly left: number;
}

const never = new Promise<never>(() => undefined);
const maxClients = 3;

interface Running {
  readonly client: Client;
  readonly life: { isAlive: boolean };
  readonly signal: (event: LifecycleEvent) => void;
}

/**
 * One random life of a device. Clients that share a store start, track, hide, and crash at any moment. Network and
 * service fail in every way. The store fills up, is cleared, or is slow. At the end everything works for hours.
 */
export class Simulation {
  private readonly random: () => number;
  private readonly clock = new FakeClock(Date.UTC(2026, 0, 31));
  private readonly values = new Map<string, string>();
  private readonly server = new ModelServer();
  private running: Running[] = [];
  private readonly isSlow: boolean;
  private readonly durable = new Set<number>();
  private readonly cleared = new Set<number>();
  private taken = 0;
  private faults = 0;
  private reported = 0;
  private isCalm = false;
  /** Largest batch that the service accepts at the moment. */
  private maxItems = 100;

  /** @param device whose store the clients share; its values are not used */
  constructor(
    seed: number,
    private readonly device: Pick<Device, 'isFull' | 'queue' | 'batches' | 'loseQueue'> = new MemoryDevice(),
  ) {
    this.random = seeded(seed);
    this.isSlow = this.random() < 0.5;
  }

  async run(steps: number): Promise<Outcome> {
    this.start();
    for (let step = 0; step < steps; step++) await this.step();
    this.isCalm = true;
    this.device.isFull = false;
    this.maxItems = 100;
    for (const { life } of this.running) life.isAlive = false;
    this.running = [];
    // Lets pending writes of crashed clients finish or vanish.
    await this.clock.advance(1_000);
    this.start();
    // Several times the longest interval between two tries of a batch.
    for (let hour = 0; hour < 8; hour++) await this.clock.advance(3_600_000);
    return this.outcome();
  }

  private async outcome(): Promise<Outcome> {
    const numbers = this.server.stored.map(({ properties }) => (properties as { n: number }).n);
    const delivered = new Set(numbers);
    const lost = [...this.durable].filter((n) => !delivered.has(n) && !this.cleared.has(n));
    return {
      taken: this.taken,
      faults: this.faults,
      doubled: numbers.filter((n, at) => numbers.indexOf(n) !== at),
      lost,
      reported: this.reported,
      left: (await this.device.batches()).length,
    };
  }

  private async step(): Promise<void> {
    const roll = this.random() * 100;
    const one = this.running[Math.floor(this.random() * this.running.length)];
    if (roll < 55) for (let i = this.random() * 8; i > 0; i--) this.track(one);
    else if (roll < 60) one?.signal('hide');
    else if (roll < 64) one?.signal(this.random() < 0.5 ? 'show' : 'online');
    else if (roll < 68) void one?.client.flush();
    else if (roll < 75) this.crash(one);
    else if (roll < 80 && this.running.length < maxClients) this.start();
    else if (roll < 83) this.device.isFull = !this.device.isFull && ++this.faults > 0;
    else if (roll < 84) await this.clear();
    else if (roll < 87) this.maxItems = this.random() < 0.5 ? 100 : 1 + Math.floor(this.random() * 6);
    else if (roll < 89) this.clock.set(this.clock.now() + (this.random() - 0.5) * 2 * 86_400_000);
    else await this.clock.advance(this.random() ** 3 * 120_000);
    if (this.random() < 0.5) await this.clock.advance(this.random() * 2_500);
  }

  private track(one: Running | undefined): void {
    const n = this.taken;
    if (one?.client.track('e', { n }) === true) this.taken++;
  }

  private crash(one: Running | undefined): void {
    if (!one) return;
    this.faults++;
    one.life.isAlive = false;
    this.running = this.running.filter((other) => other !== one);
    if (this.running.length === 0) this.start();
  }

  /** Clears the store like a user who clears site data. Stored messages are gone without a trace; memory is kept. */
  private async clear(): Promise<void> {
    this.faults++;
    await this.markLost();
    await this.device.loseQueue();
    this.values.clear();
  }

  /** Excuses the messages in the store, which are about to be cleared. */
  private async markLost(): Promise<void> {
    for (const { texts } of await this.device.batches()) {
      for (const text of texts) this.cleared.add(numberOf(text));
    }
  }

  private start(): void {
    const life = { isAlive: true };
    const listeners = new Set<(event: LifecycleEvent) => void>();
    const isSender = this.isCalm || this.random() < 0.7;
    const ports: Ports = {
      sdk: { name: 'simulated', version: '1' },
      clock: {
        now: () => this.clock.now(),
        monotonic: () => this.clock.monotonic(),
        later: (ms, work) =>
          this.clock.later(ms, () => {
            if (life.isAlive) work();
          }),
      },
      random: { fraction: this.random, uuid: () => `id-${Math.floor(this.random() * 2 ** 48).toString(36)}` },
      values: {
        get: (name) => this.values.get(name) ?? null,
        set: (name, value) => void this.values.set(name, value),
        clear: () => this.values.clear(),
      },
      queue: this.storeOf(life),
      transport: { send: (request) => ({ answer: this.exchange(request, life), abort: () => undefined }) },
      lifecycle: {
        subscribe: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        isSender: () => isSender,
      },
    };
    const client = createCore(
      {
        credentials: { apiKey: 'k', sourceIdentifier: 'Source000001' },
        host: 'https://sluice.test',
        errorHandler: ({ count = 0 }) => void (this.reported += count),
      },
      ports,
    );
    const signal = (event: LifecycleEvent): void => {
      for (const listener of listeners) listener(event);
    };
    this.running.push({ client, life, signal });
  }

  /** The store as one client sees it, fast or slow. A crashed client never learns how its call ended. */
  private storeOf(life: { isAlive: boolean }): QueueStore {
    const queue = this.device.queue();
    let last: Promise<unknown> = Promise.resolve();
    const call = <T>(work: () => MaybePromise<T>): MaybePromise<T> => {
      if (!this.isSlow || this.isCalm) return life.isAlive ? work() : never;
      const delay = new Promise<void>((resolve) => this.clock.later(this.random() * 20, resolve));
      const done = last.then(() => delay).then(() => (life.isAlive || this.random() < 0.5 ? work() : never));
      last = done.catch(() => undefined);
      return done.then((value) => (life.isAlive ? value : never));
    };
    return {
      list: () => call(() => queue.list()),
      append: (batch: Batch, index: number, text: string) => {
        const copy = { ...batch };
        return call(() => {
          const taken = queue.append(copy, index, text);
          if (taken === true) this.durable.add(numberOf(text));
          return taken;
        });
      },
      seal: (batch) => call(() => queue.seal(batch)),
      read: (key) => call(() => queue.read(key)),
      update: (batch, doubts) => {
        const copy = { ...batch };
        return call(() => queue.update(copy, doubts));
      },
      replace: (key, parts) => call(() => queue.replace(key, parts)),
      remove: (batch) => {
        const copy = { ...batch };
        return call(() => queue.remove(copy));
      },
      clear: () => call(() => queue.clear()),
    };
  }

  private async exchange(request: HttpRequest, life: { isAlive: boolean }): Promise<HttpAnswer> {
    const there = this.isCalm ? 1 : this.random() * 200;
    const roll = this.isCalm ? 1 : this.random();
    await new Promise<void>((resolve) => this.clock.later(there, resolve));
    const count = (JSON.parse(request.body ?? '') as { list: unknown[] }).list.length;
    const answer = this.answer(request, roll, count);
    if (roll < 0.5) this.faults++;
    await new Promise<void>((resolve) => this.clock.later(there, resolve));
    if (!life.isAlive || answer === 'hang') return never;
    if (answer === 'cut') throw new TypeError('no answer');
    return answer;
  }

  private answer(request: HttpRequest, roll: number, count: number): HttpAnswer | 'hang' | 'cut' {
    if (roll < 0.1) return 'cut';
    if (roll < 0.15) return 'hang';
    if (roll < 0.2) return answerOf(429, [refusal]);
    if (roll < 0.22) return answerOf(401, [refusal]);
    if (roll < 0.25) return answerOf(200, '<html>');
    if (count > this.maxItems) return answerOf(413, [refusal]);
    this.server.take(request);
    if (roll < 0.38) return 'cut';
    if (roll < 0.43) return 'hang';
    if (roll < 0.5) return answerOf(503, [refusal], '3');
    return answerOf(200, { status: 'QUEUED' });
  }
}

const refusal = { field: '', message: 'error.of.the.simulation' };

const answerOf = (status: number, body: unknown, retryAfter: string | null = null): HttpAnswer => ({
  status,
  body: JSON.stringify(body),
  header: (name) => (name === 'retry-after' ? retryAfter : null),
});

const numberOf = (text: string): number => (JSON.parse(text) as { properties: { n: number } }).properties.n;
