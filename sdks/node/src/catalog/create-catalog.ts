import { randomUUID } from 'node:crypto';
import { attempt, type Clock, type Random, type SluiceError } from '@sluice/sdk-core';
import { createTransport, type EndableTransport } from '../fetch-transport.js';
import { BatchSender } from './batch-sender.js';
import { EntityQueue, type QueuedEntity } from './entity-queue.js';
import { type CatalogClient, type CatalogOptions, type CatalogResult, type EntityType } from './options.js';

const hour = 3_600_000;
/** Entities that are queued or being sent, beyond which `send` waits. */
const maxQueued = 1_000;
/** Bytes of an entity that the service takes in a request of its own. */
const maxEntityBytes = 500_000;

const idFields: Readonly<Record<EntityType, string>> = {
  seller: 'sellerId',
  product: 'productId',
  productVariant: 'variantId',
  category: 'categoryId',
  general: 'id',
};

/** Timers that keep the process alive: what was accepted is to be sent. */
const waitingClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  later: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

type CatalogRandom = Pick<Random, 'fraction' | 'uuid'>;

const systemRandom: CatalogRandom = { fraction: () => Math.random(), uuid: () => randomUUID() };

/** Parts of the platform, which tests replace. */
interface CatalogSurroundings {
  readonly clock?: Clock;
  readonly random?: CatalogRandom;
  readonly transport?: EndableTransport;
}

/** A client that sends the catalog of a source. If a credential or the host is blank, it does nothing. */
export const createCatalog = (options: CatalogOptions, surroundings: CatalogSurroundings = {}): CatalogClient =>
  new QueuedCatalog({ ...options }, surroundings);

class QueuedCatalog implements CatalogClient {
  private readonly queues = new Map<EntityType, EntityQueue>();
  private readonly sender: BatchSender | undefined;
  private readonly transport: EndableTransport;
  private readonly clock: Clock;
  /** Whether nothing more is accepted. */
  private isClosed = false;
  /** Whether nothing more is sent. */
  private hasEnded = false;
  private accepting: Promise<unknown> = Promise.resolve();
  private isDue = false;
  private cancelTimer: (() => void) | undefined;
  private accepted = 0;
  private settled = 0;
  private sent = 0;
  private running = 0;
  private waiters: { isDone: () => boolean; resolve: () => void }[] = [];

  constructor(
    private readonly options: CatalogOptions,
    { clock = waitingClock, random = systemRandom, transport = createTransport() }: CatalogSurroundings,
  ) {
    this.clock = clock;
    this.transport = transport;
    const { apiKey, sourceIdentifier } = (options as Partial<CatalogOptions>).credentials ?? {};
    const { apiHost, maxAge = hour } = options;
    if (!apiKey || !sourceIdentifier || !apiHost) {
      this.report({ code: 'disabled', message: 'a credential or the host is blank' });
      return;
    }
    const host = apiHost.replace(/\/+$/, '');
    this.sender = new BatchSender({
      url: `${host}/api/tracker/catalog/${encodeURIComponent(sourceIdentifier)}`,
      apiKey,
      maxAge,
      transport,
      clock,
      random,
      report: this.report,
      onRefused: (entity) => attempt(() => options.onRefused?.(entity)),
    });
  }

  send(type: EntityType, entity: object): Promise<boolean> {
    const id: unknown = Reflect.get(Object(entity) as object, idFields[type]);
    return this.accept(type, 'Batch', id, entity);
  }

  delete(type: EntityType, id: string, { updatedAt }: { readonly updatedAt?: string | undefined } = {}) {
    return this.accept(type, 'Delete', id, { [idFields[type]]: id, updatedAt });
  }

  async flush(): Promise<CatalogResult> {
    this.isDue = true;
    this.pump();
    await this.accepting;
    const { accepted } = this;
    this.isDue = true;
    this.pump();
    await this.until(() => this.hasEnded || this.settled >= accepted);
    return this.result();
  }

  async close({ timeout }: { readonly timeout?: number | undefined } = {}): Promise<CatalogResult> {
    this.isClosed = true;
    let cancel: (() => void) | undefined;
    const over = new Promise<CatalogResult>((resolve) => {
      if (timeout !== undefined) cancel = this.clock.later(timeout, () => resolve(this.result()));
    });
    const result = await Promise.race([this.flush(), over]);
    cancel?.();
    this.hasEnded = true;
    this.cancelTimer?.();
    if (result.left > 0)
      this.report({ code: 'expired', message: 'closed before everything was sent', count: result.left });
    this.queues.clear();
    this.sender?.end();
    this.transport.end();
    this.wake();
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  private get length(): number {
    return [...this.queues.values()].reduce((sum, queue) => sum + queue.length, 0);
  }

  /** Accepts in the order of the calls, also while several wait for room. */
  private accept(type: EntityType, action: QueuedEntity['action'], id: unknown, body: object): Promise<boolean> {
    const text = attempt(() => JSON.stringify(body));
    const problem = this.findProblem(id, text);
    if (problem !== undefined || text === undefined || typeof id !== 'string') {
      const code = this.sender && !this.isClosed ? 'invalid' : 'disabled';
      this.report({ code, message: problem ?? 'not an entity', count: 1 });
      return Promise.resolve(false);
    }
    const accepting = this.accepting.then(() => this.enqueue({ type, action, id, text }));
    this.accepting = accepting;
    return accepting;
  }

  private async enqueue(entity: QueuedEntity): Promise<boolean> {
    await this.until(() => this.hasEnded || this.accepted - this.settled < maxQueued);
    if (this.hasEnded) return false;
    const queue = this.queues.get(entity.type) ?? new EntityQueue();
    this.queues.set(entity.type, queue);
    queue.add(entity);
    this.accepted++;
    this.cancelTimer ??= this.clock.later(this.options.flushInterval ?? 200, () => {
      this.cancelTimer = undefined;
      this.isDue = true;
      this.pump();
    });
    this.pump();
    return true;
  }

  private findProblem(id: unknown, text: string | undefined): string | undefined {
    if (!this.sender) return 'a credential or the host is blank';
    if (this.isClosed) return 'the client is closed';
    if (typeof id !== 'string' || id === '') return 'the entity has no id';
    if (text === undefined) return 'the entity cannot be written as JSON';
    return Buffer.byteLength(text) > maxEntityBytes ? `the entity has more than ${maxEntityBytes} bytes` : undefined;
  }

  /** Starts as many batches as there are places. */
  private pump(): void {
    const places = Math.min(32, Math.max(1, this.options.parallel ?? 4));
    for (const queue of this.queues.values()) {
      while (this.running < places) {
        const batch = queue.take(this.isDue);
        if (!batch) break;
        void this.run(queue, batch);
      }
    }
    if (this.length === 0) this.isDue = false;
  }

  private async run(queue: EntityQueue, batch: readonly QueuedEntity[]): Promise<void> {
    this.running++;
    const sent = (await this.sender?.send(batch)) ?? 0;
    this.running--;
    // What `close` has counted as left stays left.
    if (this.hasEnded) return;
    this.sent += sent;
    this.settled += batch.length;
    queue.settle(batch);
    this.pump();
    this.wake();
  }

  /** Resolves what waited for the present state. */
  private wake(): void {
    const { waiters } = this;
    this.waiters = waiters.filter(({ isDone }) => !isDone());
    for (const waiter of waiters) if (!this.waiters.includes(waiter)) waiter.resolve();
  }

  private until(isDone: () => boolean): Promise<void> {
    if (isDone()) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push({ isDone, resolve }));
  }

  private result(): CatalogResult {
    return { sent: this.sent, refused: this.settled - this.sent, left: this.accepted - this.settled };
  }

  private readonly report = (error: SluiceError): void => {
    attempt(() => this.options.errorHandler?.(error));
  };
}
