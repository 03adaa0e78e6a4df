import { compareByAge } from '../message/batch.js';
import { type Entry } from './entry.js';
import { type Identity } from '../client/identity.js';
import { type Parts } from '../client/parts.js';

/** The batches of this client's source in memory, of this client and of earlier ones. */
export class Pending {
  /** Batches by key. */
  readonly entries = new Map<string, Entry>();
  /** Keys of batches removed since the store was last asked for its list, which may still name them. */
  readonly removed = new Set<string>();
  readonly #parts: Parts;
  readonly #identity: Identity;
  #messages = 0;
  #bytes = 0;
  /** Messages that are only in memory. */
  #unsaved = 0;

  constructor(parts: Parts, identity: Identity) {
    this.#parts = parts;
    this.#identity = identity;
  }

  /** Number of messages. */
  get messages(): number {
    return this.#messages;
  }

  /** Adds a batch. Gives up the oldest batches while there are more messages or bytes than the limits allow. */
  enter(entry: Entry): void {
    const { maxMessages, maxBytes } = this.#parts;
    const { batch } = entry;
    this.entries.set(batch.key, entry);
    this.#messages += batch.count;
    this.#bytes += batch.bytes;
    // Leave room for a new batch's first message; an adopted batch gets none.
    const max = maxMessages - (batch.count ? 0 : 1);
    while (this.#messages > max || this.#bytes > maxBytes) {
      const oldest = this.idle().sort((first, second) => compareByAge(first.batch, second.batch))[0];
      if (!oldest) break;
      this.giveUp(oldest, 'overflow');
    }
    this.#announce();
  }

  /** Adds to the size of a batch. */
  grow({ batch }: Entry, bytes: number, messages: number): void {
    batch.bytes += bytes;
    this.#bytes += bytes;
    this.#messages += messages;
    this.#announce();
  }

  /** Removes a batch from memory; the store keeps it. */
  forget(entry: Entry): void {
    const { key, count, bytes } = entry.batch;
    if (!this.entries.delete(key)) return;
    this.unsave(entry, -entry.unsaved);
    this.#messages -= count;
    this.#bytes -= bytes;
    this.#announce();
  }

  /** Removes from memory those sealed batches that the store has and that are not being sent. */
  forgetStored(): void {
    for (const entry of this.idle()) if (entry.isStored && entry.unsaved === 0) this.forget(entry);
  }

  /** Removes a batch from memory and from the store. */
  async remove(entry: Entry): Promise<void> {
    const { batch } = entry;
    this.forget(entry);
    if (!entry.isStored) return;
    this.removed.add(batch.key);
    await this.#parts.reporter.storing(() => this.#parts.queue?.remove(batch));
  }

  /** Gives up a batch: removes it and reports the loss. */
  giveUp(entry: Entry, code: 'expired' | 'overflow'): void {
    const { key, count } = entry.batch;
    void this.remove(entry);
    this.#parts.reporter.report(code, `batch ${key}`, { count });
  }

  /** Forgets all batches, because consent was denied. Returns the number of messages that no store has. */
  erase(): number {
    let unstored = 0;
    // A message on its way into the store is counted there.
    for (const { isStored, writes, batch } of this.entries.values()) unstored += isStored || writes ? 0 : batch.count;
    for (const entry of this.entries.values()) this.unsave(entry, -entry.unsaved);
    this.entries.clear();
    this.#messages = this.#bytes = 0;
    return unstored;
  }

  /** Changes the number of messages of a batch that the store lacks. */
  unsave(entry: Entry, difference: number): void {
    const change = Math.max(-entry.unsaved, difference);
    if (change === 0) return;
    entry.unsaved += change;
    this.#unsaved += change;
    this.#parts.unsaved?.(this.#unsaved);
  }

  /** Notes that the store was cleared from outside, so that this client's batches may be only in memory. */
  markCleared(): void {
    for (const entry of this.entries.values()) entry.isCleared = entry.texts !== undefined;
  }

  /** Marks a missing batch as unstored and in doubt if the store lost it; false if another client sent or split it. */
  wasLost(entry: Entry): boolean {
    if (this.#identity.isCleared()) this.markCleared();
    if (!entry.isCleared) return false;
    entry.isStored = false;
    // Another client may have sent it before the store was cleared.
    entry.batch.doubts++;
    return true;
  }

  /** False if the batch was removed, also by a denial of consent: then nothing more of it is sent or written. */
  has(entry: Entry): boolean {
    return this.entries.get(entry.batch.key) === entry;
  }

  /** Sealed batches without a request under way. */
  idle(): Entry[] {
    return [...this.entries.values()].filter((entry) => entry.isReady && !entry.isInFlight);
  }

  #announce(): void {
    this.#parts.queued?.(this.#messages, this.#bytes);
  }
}
