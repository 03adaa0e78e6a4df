import { type Batch } from './batch.js';

export type MaybePromise<T> = T | Promise<T>;

export interface Clock {
  /** Milliseconds since 1970 by the device's clock, which users set. */
  now(): number;
  /** Milliseconds that never go back. */
  monotonic(): number;
  /** Calls `work` once after `ms`; returns what cancels it. */
  later(ms: number, work: () => void): () => void;
}

export interface Random {
  /** From 0 to under 1. Drawn once for each wait. */
  fraction(): number;
  /** A new UUID. The purpose is for tests, which give each a name. */
  uuid(purpose: 'device' | 'anonymousId' | 'stream' | 'key'): string;
}

/** Small values of one source on one device. `set` may throw; the value is kept in memory then. */
export interface KeyValueStore {
  get(name: string): string | null;
  set(name: string, value: string): void;
  clear(): void;
}

/**
 * Batches of all clients of a device, of other tabs and earlier processes too. Every call may throw or reject. A call
 * that returns no promise has done its work; a store that can should, for `append` above all.
 */
export interface QueueStore {
  /** All batches. An open one of another owner may be left out while that owner lives; one that is listed is adopted. */
  list(): MaybePromise<Batch[]>;
  /**
   * Stores message `index`, with the batch itself if it is the first. False when the batch is sealed or gone. A call
   * that fails has stored nothing.
   */
  append(batch: Batch, index: number, text: string): MaybePromise<boolean>;
  /** Closes a batch for appends, for good. The number of its messages; undefined when it is gone. */
  seal(key: string): MaybePromise<number | undefined>;
  /** The messages of a sealed batch; undefined when it is gone. */
  read(key: string): MaybePromise<string[] | undefined>;
  /**
   * Stores the times and numbers of tries of a batch, but adds `doubts` to those that are stored: several clients may
   * try it. Never creates it, and needs no more room than the batch has: a try that cannot be noted may be made all
   * the same. All doubts; undefined when it is gone.
   */
  update(batch: Batch, doubts: number): MaybePromise<number | undefined>;
  /**
   * Puts sealed batches in the place of one, in one operation. False, and nothing is changed, when that one is gone or
   * has doubts: another client is sending it.
   */
  replace(key: string, parts: readonly { batch: Batch; texts: string[] }[]): MaybePromise<boolean>;
  /** Removes a batch and the messages below its `count`; a message above stays and is listed as the batch `key.count`. */
  remove(batch: Batch): MaybePromise<void>;
  /** Removes everything (consent was denied). */
  clear(): MaybePromise<void>;
}

export interface HttpRequest {
  readonly method: 'POST' | 'GET';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the request should outlive the page. */
  readonly keepalive: boolean;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** By its name in lower case; null when there is none, or it may not be read. */
  header(name: string): string | null;
}

export interface Exchange {
  /** Rejects when there is no answer; a redirect is none. */
  readonly answer: Promise<HttpAnswer>;
  abort(): void;
}

export interface Transport {
  send(request: HttpRequest): Exchange;
}

/**
 * `hide`: the page or app may end now. `show`: it is back, and others may have changed the store. `online`: a hint that
 * the network is there. `wake`: another owner changed the store, or this client was elected.
 */
export type LifecycleEvent = 'hide' | 'show' | 'online' | 'wake';

export interface Lifecycle {
  subscribe(listener: (event: LifecycleEvent) => void): () => void;
  /** Whether this client drains the store that several share. Saves requests; nothing depends on it. */
  isSender?(): boolean;
}

export interface Ports {
  /** The library as it names itself in `context.sdk`. */
  readonly sdk: { readonly name: string; readonly version: string };
  readonly clock: Clock;
  readonly random: Random;
  readonly values: KeyValueStore;
  readonly queue: QueueStore;
  readonly transport: Transport;
  readonly lifecycle: Lifecycle;
  /** Resolves when `values` can be read; calls until then are taken and wait. */
  readonly ready?: Promise<void>;
  /** What the platform knows at this moment: page, locale, screen. */
  context?(): Readonly<Record<string, unknown>>;
  /** Where `debug` goes. */
  log?(text: string): void;
}
