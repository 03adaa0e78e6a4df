import { deriveKey, type BatchKind, newBatch, makeSealedFields } from '../message/batch.js';
import { type Entry, newEntry } from '../sending/entry.js';
import { type Outbox } from '../sending/outbox.js';
import { type Parts } from '../client/parts.js';
import { type Pending } from '../sending/pending.js';

/** Collects messages in one open batch per kind, which is in the store from its first message on. */
export class Batcher {
  readonly #parts: Parts;
  readonly #pending: Pending;
  readonly #outbox: Outbox;
  /** Identifies are sealed and sent first. */
  readonly #open: Partial<Record<BatchKind, Entry | undefined>> = { identify: undefined };
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
  add(kind: BatchKind, text: string, bytes: number): void {
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
      if (!entry.isReady || !entry.texts) continue;
      // Batches sealed while writing was paused are closed too. A batch is sent only after it is written, because the
      // store cannot record a try of a batch that it does not have.
      entry.isReady = false;
      this.#close(entry);
    }
  }

  /** Stops writing. Seals the open batches: a stored batch must not get messages that are only in memory. */
  pause(): void {
    this.#isPersistent = false;
    this.#sealOpen();
  }

  /** Forgets the open batches. */
  erase(): void {
    for (const entry of Object.values(this.#open)) {
      if (!entry) continue;
      entry.cancelTimer?.();
      this.#open[entry.batch.kind] = undefined;
    }
  }

  /** Opens a batch, which is sealed after `flushInterval` at the latest. */
  #begin(kind: BatchKind, key: string): Entry {
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
    for (const index of (entry.texts ?? []).keys()) this.#write(entry, index);
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
      const outcome = queue.append(entry.batch, index, text);
      if (typeof outcome === 'object') this.#awaitAnswer(entry, index, outcome);
      else this.#settleWrite(entry, index, outcome);
    } catch (error) {
      this.#handleFailure(entry, index, error);
    }
  }

  /** Counts a message as unsaved until a slow store has answered. */
  #awaitAnswer(entry: Entry, index: number, answer: Promise<boolean | number>): void {
    this.#pending.unsave(entry, 1);
    const write = answer.then(
      (outcome) => {
        if (outcome === true) this.#pending.unsave(entry, -1);
        this.#settleWrite(entry, index, outcome, true);
      },
      (cause: unknown) => {
        this.#handleFailure(entry, index, cause, true);
      },
    );
    entry.writes = Promise.all([entry.writes, write]);
  }

  /** @param outcome as `QueueStore.append` returns it */
  #settleWrite(entry: Entry, index: number, outcome: boolean | number, isCounted = false): void {
    if (outcome === true) {
      entry.isStored = true;
      this.#parts.reporter.storageWorks();
    } else if (index > 0) this.#moveOn(entry, outcome || index);
    else this.#handleFailure(entry, index, 'no room', isCounted);
  }

  /** @param isCounted true if the message is counted as unsaved already */
  #handleFailure(entry: Entry, index: number, cause: unknown, isCounted = false): void {
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
    const movedTexts = this.#pending.entries.has(key) ? (texts?.splice(index) ?? []) : [];
    if (movedTexts.length === 0) return;
    // The next batch counts the messages that it cannot write.
    this.#pending.unsave(entry, -movedTexts.length);
    batch.count = index;
    this.#pending.grow(entry, makeSealedFields(texts ?? []).bytes - batch.bytes, -movedTexts.length);
    const next = this.#begin(kind, deriveKey(key, index));
    next.texts = movedTexts;
    next.batch.count = movedTexts.length;
    this.#pending.grow(next, makeSealedFields(movedTexts).bytes - next.batch.bytes, movedTexts.length);
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
    // Lets `track` return before the seal is written. Consent may be granted during that, and add writes.
    let writes: unknown;
    do await (writes = entry.writes);
    while (writes !== entry.writes);
    const isInStore = this.#isPersistent && entry.isStored;
    const count = isInStore ? await this.#parts.reporter.storing(() => queue?.seal(entry.batch)) : undefined;
    if (count) {
      this.#moveOn(entry, count);
      if (queue?.hasTexts) entry.texts = undefined;
    }
    this.#outbox.accept(entry, count);
  }
}
