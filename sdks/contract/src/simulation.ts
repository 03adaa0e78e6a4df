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
  registrationEvent,
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

export interface SimulationOutcome {
  readonly taken: number;
  readonly faults: number;
  /** Messages that the service stored more than once. */
  readonly doubled: readonly number[];
  /** Messages that were in the store and were neither delivered nor cleared by the simulation. */
  readonly lost: readonly number[];
  /** Number of messages that errorHandler reported as lost. */
  readonly reported: number;
  /** The outcome for each source. */
  readonly sources: readonly SourceOutcome[];
  /** Batches that are still pending at the end. */
  readonly left: number;
}

/** Parts of an outcome that tests of a shared device compare; `agree` says it of each source's books. */
export const summarizeBooks = (outcome: SimulationOutcome) => ({
  doubled: outcome.doubled,
  agree: outcome.sources.map(({ lost, reported, unsure }) => lost <= reported && reported <= lost + unsure),
  left: outcome.left,
});

/** Outcome for the messages of a source. Its books agree if `lost` <= `reported` <= `lost` + `unsure`. */
export interface SourceOutcome {
  /** Number of messages in `lost`. */
  readonly lost: number;
  readonly reported: number;
  /** Number of messages that may be reported although they are not in `lost`: see `Books.unsure`. */
  readonly unsure: number;
}

const never = new Promise<never>(() => undefined);
const maxClients = 3;
const [host, otherHost] = ['https://sluice.test', 'https://other.test'] as const;

interface Life {
  readonly source: string;
  isAlive: boolean;
}

interface RunningClient {
  readonly client: Client;
  readonly life: Life;
  readonly signal: (event: LifecycleEvent) => void;
}

/** The messages of a source, and its small values. */
class Books {
  readonly values = new Map<string, string>();
  readonly taken = new Set<number>();
  /** Messages of batches whose answer said that they are taken. */
  readonly confirmed = new Set<number>();
  /** Messages that waited when consent was denied. */
  readonly erased = new Set<number>();
  reported = 0;

  /** Number of messages that waited in memory only, or that a service stored before a denial erased them. */
  unsure(isLost: (n: number) => boolean, isDelivered: (n: number) => boolean): number {
    return [...this.taken].filter((n) => !isLost(n) && (!isDelivered(n) || this.erased.has(n))).length;
  }
}

/**
 * One random life of a device. Clients that share a store start, track, hide, and crash at any moment. Network and
 * service fail in every way. The store fills up, is cleared, or is slow. At the end everything works for hours.
 *
 * A shared device has clients of two sources; consents change, and so do the hosts of clients that start. An app has one
 * client of each source, and is killed as a whole.
 */
export class Simulation {
  private readonly random: () => number;
  private readonly clock = new FakeClock(Date.UTC(2026, 0, 31), () => this.device.settle());
  private readonly books: ReadonlyMap<string, Books>;
  /** Services by their hosts; none knows what another has stored. */
  private readonly servers: ReadonlyMap<string, ModelServer>;
  private running: RunningClient[] = [];
  private readonly isSlow: boolean;
  private readonly durable = new Set<number>();
  private readonly cleared = new Set<number>();
  /** Messages in the store when a client began to erase it; those of clients that were killed before they knew. */
  private readonly erasures = new Set<readonly number[]>();
  private taken = 0;
  private faults = 0;
  private isCalm = false;
  /** Largest batch that the service accepts at the moment. */
  private maxItems = 100;

  /** @param device whose store the clients share; its values are not used */
  constructor(
    seed: number,
    private readonly device: Pick<Device, 'isFull' | 'queue' | 'batches' | 'loseQueue' | 'settle'> = new MemoryDevice(),
    private readonly sharing: 'none' | 'device' | 'app' = 'none',
  ) {
    const isShared = sharing !== 'none';
    const sources = isShared ? ['Source000001', 'Source000002'] : ['Source000001'];
    this.books = new Map(sources.map((source) => [source, new Books()]));
    this.servers = new Map((isShared ? [host, otherHost] : [host]).map((address) => [address, new ModelServer()]));
    this.random = seeded(seed);
    this.isSlow = this.random() < 0.5;
  }

  async run(steps: number): Promise<SimulationOutcome> {
    this.start();
    for (let step = 0; step < steps; step++) await this.step();
    this.isCalm = true;
    this.device.isFull = false;
    this.maxItems = 100;
    for (const { life } of this.running) life.isAlive = false;
    this.running = [];
    // Lets pending writes of crashed clients finish or vanish.
    await this.clock.advance(1_000);
    for (const source of this.books.keys()) this.start(source, host);
    // Several times the longest interval between two tries of a batch.
    for (let hour = 0; hour < 8; hour++) await this.clock.advance(3_600_000);
    return this.outcome();
  }

  private async outcome(): Promise<SimulationOutcome> {
    const stored = [...this.servers.values()].flatMap((server) => server.stored);
    const numbers = stored.map(({ properties }) => (properties as { n: number }).n);
    const delivered = new Set(numbers);
    for (const n of [...this.erasures].flat()) this.cleared.add(n);
    const isLost = (n: number): boolean => this.durable.has(n) && !delivered.has(n) && !this.cleared.has(n);
    const sources = [...this.books.values()].map((books) => ({
      lost: [...books.taken].filter(isLost).length,
      reported: books.reported,
      unsure: books.unsure(isLost, (n) => delivered.has(n)),
    }));
    return {
      taken: this.taken,
      faults: this.faults,
      doubled: numbers.filter((n, index) => numbers.indexOf(n) !== index),
      lost: [...this.durable].filter(isLost),
      reported: sources.reduce((sum, { reported }) => sum + reported, 0),
      sources,
      left: (await this.device.batches()).length,
    };
  }

  private async step(): Promise<void> {
    const roll = this.random() * 100;
    const running = this.running[Math.floor(this.random() * this.running.length)];
    if (this.sharing !== 'none' && this.random() < 0.08) await this.changeConsent(running);
    if (roll < 55) for (let i = this.random() * 8; i > 0; i--) this.track(running);
    else if (roll < 60) running?.signal('hide');
    else if (roll < 64) running?.signal(this.random() < 0.5 ? 'show' : 'online');
    else if (roll < 68) void running?.client.flush();
    else if (roll < 75) this.crash(running);
    else if (roll < 80 && this.running.length < maxClients) this.start();
    else if (roll < 83) this.device.isFull = !this.device.isFull && ++this.faults > 0;
    // A moved batch may be sent twice then: docs/decisions/0091-several-clients.md.
    else if (roll < 84 && this.sharing === 'none') await this.clear();
    else if (roll < 87) this.maxItems = this.random() < 0.5 ? 100 : 1 + Math.floor(this.random() * 6);
    else if (roll < 89) this.clock.set(this.clock.now() + (this.random() - 0.5) * 2 * 86_400_000);
    else await this.clock.advance(this.random() ** 3 * 120_000);
    if (this.random() < 0.5) await this.clock.advance(this.random() * 2_500);
  }

  private track(running: RunningClient | undefined): void {
    const n = this.taken;
    if (running?.client.track(n % 9 === 0 ? registrationEvent : 'e', { n }) !== true) return;
    this.taken++;
    this.booksFor(running.life).taken.add(n);
  }

  private async changeConsent(running: RunningClient | undefined): Promise<void> {
    if (!running) return;
    const roll = this.random();
    const next = roll < 0.3 ? 'denied' : roll < 0.45 ? 'pending' : 'granted';
    if (next === 'denied') {
      const { taken: takenMessages, confirmed, erased } = this.booksFor(running.life);
      // The store may still have a batch that was confirmed.
      const waiting = new Set(await this.numbersIn(running.life.source));
      for (const n of takenMessages) if (!confirmed.has(n) || waiting.has(n)) erased.add(n);
    }
    running.client.consent(next);
  }

  /** Messages of a source in the store. */
  private async numbersIn(source: string): Promise<number[]> {
    const batches = await this.device.batches();
    return batches.flatMap(({ batch, texts }) => (batch.sourceIdentifier === source ? texts.map(messageNumber) : []));
  }

  private booksFor({ source }: Life): Books {
    return this.books.get(source) ?? new Books();
  }

  private crash(running: RunningClient | undefined): void {
    if (!running) return;
    this.faults++;
    const killed = this.sharing === 'app' ? this.running : [running];
    for (const { life } of killed) life.isAlive = false;
    this.running = this.running.filter(({ life }) => life.isAlive);
    if (this.running.length === 0) this.start();
  }

  /** Returns one of several, drawn only if there is a choice. */
  private draw<T>(choices: Iterable<T>): T {
    const list = [...choices];
    return list[list.length > 1 ? Math.floor(this.random() * list.length) : 0] as T;
  }

  /** Clears the store like a user who clears site data. Stored messages are gone without a trace; memory is kept. */
  private async clear(): Promise<void> {
    this.faults++;
    await this.markLost();
    await this.device.loseQueue();
    for (const { values } of this.books.values()) values.clear();
  }

  /** Excuses the messages in the store, which are about to be cleared. */
  private async markLost(): Promise<void> {
    for (const { texts } of await this.device.batches()) {
      for (const text of texts) this.cleared.add(messageNumber(text));
    }
  }

  private start(source = this.draw(this.books.keys()), address = this.draw(this.servers.keys())): void {
    if (this.sharing === 'app' && this.running.some(({ life }) => life.source === source)) return;
    const life: Life = { source, isAlive: true };
    const books = this.booksFor(life);
    const { values } = books;
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
        get: (name) => values.get(name) ?? null,
        set: (name, value) => void values.set(name, value),
        clear: () => values.clear(),
      },
      queue: this.storeFor(life),
      transport: { send: (request) => ({ answer: this.exchange(request, life), abort: () => undefined }) },
      lifecycle: {
        subscribe: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        isSender: () => isSender,
        denied: () => {
          for (const peer of this.running) if (peer.life !== life && peer.life.source === source) peer.signal('denied');
        },
      },
    };
    const client = createCore(
      {
        credentials: { apiKey: 'k', sourceIdentifier: source },
        host: address,
        errorHandler: ({ count = 0 }) => void (books.reported += count),
      },
      ports,
    );
    const signal = (event: LifecycleEvent): void => {
      for (const listener of listeners) listener(event);
    };
    this.running.push({ client, life, signal });
  }

  /** The store as one client sees it, fast or slow. A crashed client never learns how its call ended. */
  private storeFor(life: Life): QueueStore {
    const queue = this.device.queue(life.source, life);
    let last: Promise<unknown> = Promise.resolve();
    const call = <T>(work: () => MaybePromise<T>): MaybePromise<T> => {
      if (!this.isSlow || this.isCalm) return life.isAlive ? work() : never;
      const delay = new Promise<void>((resolve) => this.clock.later(this.random() * 20, resolve));
      const answer = last.then(() => delay).then(() => (life.isAlive || this.random() < 0.5 ? work() : never));
      last = answer.catch(() => undefined);
      return answer.then((value) => (life.isAlive ? value : never));
    };
    return {
      list: () => call(() => queue.list()),
      append: (batch: Batch, index: number, text: string) => {
        const copy = { ...batch };
        return call(() => {
          const outcome = queue.append(copy, index, text);
          if (outcome === true) this.durable.add(messageNumber(text));
          return outcome;
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
      clear: async (source) => {
        const waiting: number[] = [];
        this.erasures.add(waiting);
        const count = await call(async () => {
          waiting.push(...(await this.numbersIn(source)));
          return queue.clear(source);
        });
        this.erasures.delete(waiting);
        return count;
      },
    };
  }

  private async exchange(request: HttpRequest, life: Life): Promise<HttpAnswer> {
    const travelMs = this.isCalm ? 1 : this.random() * 200;
    const roll = this.isCalm ? 1 : this.random();
    await new Promise<void>((resolve) => this.clock.later(travelMs, resolve));
    const { list } = JSON.parse(request.body ?? '') as { list: { properties: { n: number } }[] };
    const answer = this.answer(request, roll, list.length);
    if (roll < 0.5) this.faults++;
    await new Promise<void>((resolve) => this.clock.later(travelMs, resolve));
    if (!life.isAlive || answer === 'hang') return never;
    if (answer === 'cut') throw new TypeError('no answer');
    if (answer.body === queuedBody) for (const { properties } of list) this.booksFor(life).confirmed.add(properties.n);
    return answer;
  }

  private answer(request: HttpRequest, roll: number, count: number): HttpAnswer | 'hang' | 'cut' {
    if (roll < 0.1) return 'cut';
    if (roll < 0.15) return 'hang';
    if (roll < 0.17) return buildAnswer(429, [refusal]);
    if (roll < 0.2) return buildAnswer(429, [usedUp], '90');
    if (roll < 0.22) return buildAnswer(401, [refusal]);
    if (roll < 0.25) return buildAnswer(200, '<html>');
    if (count > this.maxItems) return buildAnswer(413, [refusal]);
    this.servers.get(new URL(request.url).origin)?.take(request);
    if (roll < 0.38) return 'cut';
    if (roll < 0.43) return 'hang';
    if (roll < 0.5) return buildAnswer(503, [refusal], '3');
    return buildAnswer(200, { status: 'QUEUED' });
  }
}

const queuedBody = '{"status":"QUEUED"}';
const refusal = { field: '', message: 'error.of.the.simulation' };
const usedUp = { field: '', message: 'error.request.quotaExceeded' };

const buildAnswer = (status: number, body: unknown, retryAfter: string | null = null): HttpAnswer => ({
  status,
  body: JSON.stringify(body),
  header: (name) => (name === 'retry-after' ? retryAfter : null),
});

const messageNumber = (text: string): number => (JSON.parse(text) as { properties: { n: number } }).properties.n;
