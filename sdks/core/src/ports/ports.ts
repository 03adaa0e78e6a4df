import { type Batch } from '../message/batch.js';

export type MaybePromise<T> = T | Promise<T>;

export interface Clock {
  /** Milliseconds since 1970 by the device's clock, which users can change. */
  now(): number;
  /** Milliseconds that never decrease. */
  monotonic(): number;
  /** Calls `work` once after `ms`. Returns a function that cancels it. */
  later(ms: number, work: () => void): () => void;
}

export interface Random {
  /** A number from 0 to under 1, drawn once for each wait. */
  fraction(): number;
  /** A new UUID. Tests use the purpose to name it. */
  uuid(purpose: 'device' | 'anonymousId' | 'stream' | 'key'): string;
}

/** Small values of one source on one device. `set` can throw; the value is then kept in memory. */
export interface KeyValueStore {
  get(name: string): string | null;
  set(name: string, value: string): void;
  clear(): void;
}

/**
 * Batches of all clients of a device, of all sources, including other tabs and earlier processes. Every call can throw or reject, and
 * must settle: `flush` waits for it. A call that returns no promise has done its work. Stores should be synchronous if
 * they can, above all in `append`.
 */
export interface QueueStore {
  /** True while so much is stored that the texts of stored batches should not stay in memory, too. */
  readonly hasTexts?: boolean;
  /** All batches. Open batches of living owners can be left out, because the caller adopts every listed batch. */
  list(): MaybePromise<Batch[]>;
  /**
   * Stores message `index`, and the batch itself with its first message. Returns false if the batch is sealed or gone,
   * or the number of its messages if another client has sealed it with fewer than were appended. A call that fails has
   * stored nothing.
   */
  append(batch: Batch, index: number, text: string): MaybePromise<boolean | number>;
  /**
   * Permanently closes a batch for appends. `batch.sealed` says that the caller is its owner and knows its count.
   * Returns the number of its messages; undefined if it is gone.
   */
  seal(batch: Batch): MaybePromise<number | undefined>;
  /** The messages of a sealed batch; undefined if it is gone. */
  read(key: string): MaybePromise<string[] | undefined>;
  /**
   * Stores times and numbers of tries of a batch, and adds `doubts` to the stored ones, because several clients can try
   * it. Never creates the batch and needs no additional room. A try is made even if it cannot be recorded. Returns the
   * sum of doubts; undefined if the batch is gone.
   */
  update(batch: Batch, doubts: number): MaybePromise<number | undefined>;
  /**
   * Atomically replaces a batch by sealed batches. Changes nothing and returns false if the batch is gone or has
   * doubts, which means that another client is sending it.
   */
  replace(key: string, parts: readonly { batch: Batch; texts: string[] }[]): MaybePromise<boolean>;
  /** Removes a batch with its first `count` messages. Later messages stay and are listed as the batch `key.count`. */
  remove(batch: Batch): MaybePromise<void>;
  /** Removes the batches of a source, because consent was denied to it. Returns the number of their messages. */
  clear(sourceIdentifier: string): MaybePromise<number>;
}

/** A body that is compressed with gzip. */
export type Packed = Uint8Array<ArrayBuffer>;

export interface HttpRequest {
  readonly method: 'POST' | 'GET';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The same body, compressed: sent in place of it, with `Content-Encoding: gzip`. */
  readonly packed?: Packed | undefined;
  /** True if the request should outlive the page. */
  readonly keepalive: boolean;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** A header by its name in lower case; null if it is missing or not readable. */
  header(name: string): string | null;
}

export interface Exchange {
  /** Rejects without an answer; a redirect does not count as one. */
  readonly answer: Promise<HttpAnswer>;
  abort(): void;
}

export interface Transport {
  send(request: HttpRequest): Exchange;
  /** Compresses a body. If left out, or if it fails, bodies are sent as they are. */
  pack?(body: string): Promise<Packed>;
}

/**
 * `hide`: the page or app may end now. `show`: it is visible again, and others may have changed the store. `online`: a
 * hint that the network is back. `wake`: another owner changed the store, or this client became the sender. `denied`:
 * consent was denied to another client.
 */
export type LifecycleEvent = 'hide' | 'show' | 'online' | 'wake' | 'denied';

export interface Lifecycle {
  subscribe(listener: (event: LifecycleEvent) => void): () => void;
  /**
   * True if this client drains a shared store; undefined while that is being decided. It only saves requests;
   * correctness does not depend on it.
   */
  isSender?(): boolean | undefined;
  /** Announces to the other clients of the device that consent was denied. */
  denied?(): void;
}

export interface Ports {
  /** Name and version of the library in `context.sdk`. */
  readonly sdk: { readonly name: string; readonly version: string };
  readonly clock: Clock;
  readonly random: Random;
  /** If left out, the values are kept in memory. */
  readonly values?: KeyValueStore | undefined;
  /** If left out, the messages are kept in memory. */
  readonly queue?: QueueStore;
  readonly transport: Transport;
  readonly lifecycle: Lifecycle;
  /** Resolves when `values` can be read. Earlier calls are accepted and wait. */
  readonly ready?: Promise<unknown> | undefined;
  /** Called with the number of queued messages and their bytes when they change. */
  queued?(messages: number, bytes: number): void;
  /**
   * Called when the number of messages that are only in memory changes. Notes it where that takes no more room, so that
   * the next start counts the messages that a kill took. Not called without `queue`.
   */
  unsaved?(messages: number): void;
  /** Messages that were only in memory when earlier clients ended; each is counted once. */
  lostBefore?(): MaybePromise<number>;
  /** Current context of the platform: page, locale, screen. */
  context?(): Readonly<Record<string, unknown>>;
  /** Parts of the platform for its plugins. */
  readonly parts?: object;
  /** Output of `debug`. */
  readonly log?: (text: string) => void;
}
