import { byAge } from './batch.js';
import { type Entry } from './entry.js';
import { type Identity } from './identity.js';
import { type Parts } from './parts.js';

/**
 * The batches in memory, of this client and of earlier ones. Only those of this source are counted and sent; batches of
 * other sources wait for a client of their source.
 */
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

  /** Number of messages of this source. */
  get messages(): number {
    return this.#messages;
  }

  /** Adds a batch. Gives up the oldest batches while there are more messages or bytes than the limits allow. */
  enter(entry: Entry): void {
    const { maxMessages, maxBytes } = this.#parts;
    const { batch } = entry;
    this.entries.set(batch.key, entry);
    if (!this.isOurs(entry)) return;
    this.#messages += batch.count;
    this.#bytes += batch.bytes;
    // Leave room for a new batch's first message; an adopted batch gets none.
    const max = maxMessages - (batch.count ? 0 : 1);
    while (this.#messages > max || this.#bytes > maxBytes) {
      const oldest = this.idle().sort((one, other) => byAge(one.batch, other.batch))[0];
      if (!oldest) break;
      this.giveUp(oldest, 'overflow');
    }
    this.#announce();
  }

  /** Adds to the size of a batch of this source. */
  grow({ batch }: Entry, bytes: number, messages: number): void {
    batch.bytes += bytes;
    this.#bytes += bytes;
    this.#messages += messages;
    this.#announce();
  }

  /** Removes a batch from memory; the store keeps it. */
  forget(entry: Entry): void {
    const { key, count, bytes } = entry.batch;
    if (!this.entries.delete(key) || !this.isOurs(entry)) return;
    this.unsave(entry, -entry.unsaved);
    this.#messages -= count;
    this.#bytes -= bytes;
    this.#announce();
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

  /** Forgets all batches, because consent was denied. */
  erase(): void {
    for (const entry of this.entries.values()) this.unsave(entry, -entry.unsaved);
    this.entries.clear();
    this.#messages = this.#bytes = 0;
  }

  /** Changes the number of messages of a batch that the store lacks. */
  unsave(entry: Entry, more: number): void {
    const change = Math.max(-entry.unsaved, more);
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

  isOurs({ batch }: Entry): boolean {
    return batch.host === this.#parts.host && batch.sourceIdentifier === this.#parts.sourceIdentifier;
  }

  /** Sealed batches of this source without a request under way. */
  idle(): Entry[] {
    return [...this.entries.values()].filter((entry) => entry.isReady && !entry.isInFlight && this.isOurs(entry));
  }

  #announce(): void {
    this.#parts.queued?.(this.#messages, this.#bytes);
  }
}
