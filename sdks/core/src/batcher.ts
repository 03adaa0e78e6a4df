import { derivedKey, type Kind, newBatch, sealWith } from './batch.js';
import { type Entry, newEntry } from './entry.js';
import { type Outbox } from './outbox.js';
import { type Parts } from './parts.js';
import { type Pending } from './pending.js';

/** Collects messages in one open batch per kind, which is in the store from its first message on. */
export class Batcher {
  readonly #parts: Parts;
  readonly #pending: Pending;
  readonly #outbox: Outbox;
  /** Identifies are sealed and sent first. */
  readonly #open: Record<Kind, Entry | undefined> = { identify: undefined, track: undefined };
  /** Seals that are under way. */
  readonly #seals = new Set<Promise<void>>();
  /** False while consent is pending, when nothing is written. */
  #isPersistent = false;

  constructor(parts: Parts, outbox: Outbox) {
    this.#parts = parts;
    this.#outbox = outbox;
    this.#pending = outbox.pending;
  }

  /** Adds a message to the open batch of its kind, and seals the batch when it is full. */
  add(kind: Kind, text: string, bytes: number): void {
    const { flushAt, maxBatchBytes } = this.#parts;
    const last = this.#open[kind];
    if (last && last.batch.bytes + 1 + bytes > maxBatchBytes) this.#seal(last);
    const entry = (this.#open[kind] ??= this.#begin(kind, this.#parts.random.uuid('key')));
    const { batch, texts } = entry;
    const index = batch.count++;
    texts?.push(text);
    this.#pending.grow(entry, bytes + (index > 0 ? 1 : 0), 1);
    this.#write(entry, index);
    if (batch.count >= flushAt) this.#seal(entry);
  }

  /** Seals the open batches. Resolves when the outbox has them and those that were already being sealed. */
  async sealAll(): Promise<void> {
    this.#sealOpen();
    // A list: `Promise.all` of older Hermes reads no other iterable.
    await Promise.all([...this.#seals]);
  }

  /** Writes what was collected while consent was pending. */
  persist(): void {
    this.#isPersistent = true;
    for (const entry of [...this.#pending.entries.values()]) {
      if (!entry.isStored && !entry.writes) this.#writeAll(entry);
      // Also closes a stored batch that was sealed while nothing was written.
      if (entry.isReady && entry.texts) this.#close(entry);
    }
  }

  /** Stops writing. Seals the open batches: a stored batch must not get messages that are only in memory. */
  pause(): void {
    this.#isPersistent = false;
    this.#sealOpen();
  }

  /** Forgets the open batches. */
  erase(): void {
    for (const entry of Object.values(this.#open)) entry?.cancelTimer?.();
    this.#open.identify = this.#open.track = undefined;
  }

  /** Opens a batch, which is sealed after `flushInterval` at the latest. */
  #begin(kind: Kind, key: string): Entry {
    const { host, sourceIdentifier, flushInterval } = this.#parts;
    const { clock } = this.#parts;
    const entry = newEntry(newBatch({ key, host, sourceIdentifier, kind, created: clock.now() }), []);
    entry.cancelTimer = clock.later(flushInterval, () => {
      this.#seal(entry);
    });
    this.#pending.enter(entry);
    return entry;
  }

  #writeAll(entry: Entry): void {
    this.#pending.unsave(entry, -entry.unsaved);
    for (const at of (entry.texts ?? []).keys()) this.#write(entry, at);
  }

  /** Writes a message, before the call returns if the store is synchronous. */
  #write(entry: Entry, index: number): void {
    const { queue } = this.#parts;
    const text = entry.texts?.[index];
    if (!queue || !this.#isPersistent || text === undefined) return;
    if (entry.isRefused) {
      this.#pending.unsave(entry, 1);
      return;
    }
    try {
      const taken = queue.append(entry.batch, index, text);
      if (typeof taken === 'object') this.#awaitAnswer(entry, index, taken);
      else this.#written(entry, index, taken);
    } catch (error) {
      this.#failed(entry, index, error);
    }
  }

  /** Counts a message as unsaved until a slow store has answered. */
  #awaitAnswer(entry: Entry, index: number, answer: Promise<boolean | number>): void {
    this.#pending.unsave(entry, 1);
    const done = answer.then(
      (taken) => {
        if (taken === true) this.#pending.unsave(entry, -1);
        this.#written(entry, index, taken, true);
      },
      (cause: unknown) => {
        this.#failed(entry, index, cause, true);
      },
    );
    entry.writes = Promise.all([entry.writes, done]);
  }

  /** @param taken as `QueueStore.append` returns it */
  #written(entry: Entry, index: number, taken: boolean | number, isCounted = false): void {
    if (taken === true) {
      entry.isStored = true;
      this.#parts.reporter.storageWorks();
    } else if (index > 0) this.#moveOn(entry, taken || index);
    else this.#failed(entry, index, 'no room', isCounted);
  }

  /** @param isCounted true if the message is counted as unsaved already */
  #failed(entry: Entry, index: number, cause: unknown, isCounted = false): void {
    this.#parts.reporter.storageFailed(cause);
    // Ends the stored batch before a message that could not be written: later messages must keep their positions.
    if (index > 0) this.#moveOn(entry, index);
    else {
      entry.isRefused = true;
      if (!isCounted) this.#pending.unsave(entry, 1);
    }
  }

  /** Ends the stored batch before this message and moves this and all later messages to a new batch. */
  #moveOn(entry: Entry, index: number): void {
    const { batch, texts } = entry;
    const { kind, key } = batch;
    const moved = this.#pending.entries.has(key) ? (texts?.splice(index) ?? []) : [];
    if (moved.length === 0) return;
    // The next batch counts the messages that it cannot write.
    this.#pending.unsave(entry, -moved.length);
    batch.count = index;
    this.#pending.grow(entry, sealWith(texts ?? []).bytes - batch.bytes, -moved.length);
    const next = this.#begin(kind, derivedKey(key, index));
    next.texts = moved;
    next.batch.count = moved.length;
    this.#pending.grow(next, sealWith(moved).bytes - next.batch.bytes, moved.length);
    const isOpen = this.#open[kind] === entry;
    if (isOpen) this.#open[kind] = next;
    // Write only now, because a message that cannot be written is moved on in turn.
    this.#writeAll(next);
    this.#close(isOpen ? entry : next);
  }

  #sealOpen(): void {
    for (const entry of Object.values(this.#open)) if (entry) this.#seal(entry);
  }

  /** Seals a batch, unless that was done before. */
  #seal(entry: Entry): void {
    const { kind } = entry.batch;
    if (this.#open[kind] !== entry) return;
    this.#open[kind] = undefined;
    this.#close(entry);
  }

  #close(entry: Entry): void {
    const sealed = this.#finish(entry).finally(() => this.#seals.delete(sealed));
    this.#seals.add(sealed);
  }

  /** Seals a batch in the store, and hands it to the outbox. */
  async #finish(entry: Entry): Promise<void> {
    const { queue } = this.#parts;
    entry.cancelTimer?.();
    entry.batch.sealed = true;
    // Lets `track` return before the seal is written.
    await entry.writes;
    const isThere = this.#isPersistent && entry.isStored;
    const count = isThere ? await this.#parts.reporter.storing(() => queue?.seal(entry.batch)) : undefined;
    if (count) {
      this.#moveOn(entry, count);
      if (queue?.hasTexts) entry.texts = undefined;
    }
    this.#outbox.accept(entry, count);
  }
}
