import { type Batch, compareByAge, deriveKey, sealedBatch } from '../message/batch.js';
import { type Entry, isForHost, newEntry } from './entry.js';
import { type Pace } from './pace.js';
import { type Parts } from '../client/parts.js';
import { type Pending } from './pending.js';
import { type QueueStore } from '../ports/ports.js';

/** Adopts the batches that earlier owners left in the store. */
export class Adoption {
  readonly #parts: Parts;
  readonly #pending: Pending;
  readonly #pace: Pace;
  #listing: Promise<void> | undefined;
  /** True if the store may have changed since its list was asked for. */
  #isStale = false;

  constructor(parts: Parts, pending: Pending, pace: Pace) {
    this.#parts = parts;
    this.#pending = pending;
    this.#pace = pace;
  }

  /** Lists the store and adopts new batches. Calls during a listing share one more: each listing delays writes. */
  adoptAll(): Promise<void> {
    this.#isStale = true;
    return (this.#listing ??= this.#listWhileStale());
  }

  async #listWhileStale(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      await this.#parts.reporter.storing(() => this.#list());
    }
    this.#listing = undefined;
  }

  async #list(): Promise<void> {
    const { queue } = this.#parts;
    if (!queue) return;
    const killed = (await this.#parts.lostBefore?.()) ?? 0;
    if (killed > 0) {
      this.#parts.reporter.report('storage', 'an earlier page or process lost them', { count: killed });
    }
    const { entries, removed } = this.#pending;
    removed.clear();
    const { sourceIdentifier } = this.#parts;
    const batches = (await queue.list()).filter((batch) => batch.sourceIdentifier === sourceIdentifier);
    const listed = new Set(batches.map(({ key }) => key));
    for (const entry of entries.values()) {
      if (!entry.texts && !entry.isInFlight && !listed.has(entry.batch.key)) this.#pending.forget(entry);
    }
    for (const batch of batches.sort(compareByAge)) if (!entries.has(batch.key)) await this.#take(batch, queue);
  }

  /** Takes over a batch, which gets no more messages. */
  async #take(batch: Batch, queue: QueueStore): Promise<void> {
    const { entries, removed } = this.#pending;
    if (!batch.sealed) batch.count = (await queue.seal(batch)) ?? 0;
    const entry = newEntry({ ...(await this.#moveToHost(batch, queue)), sealed: true });
    if (batch.count === 0) await this.#pending.remove(entry);
    // The batch may have been entered, or entered and removed, during the awaits above.
    else if (!entries.has(batch.key) && !removed.has(batch.key)) this.#enter(entry);
  }

  /**
   * Moves a batch to the present host, as a batch of its own: nothing of it was sent to the host that it was made for.
   * Returns the batch as it is if a try is in doubt, so that its repeat meets the service that may have stored it.
   */
  async #moveToHost(batch: Batch, queue: QueueStore): Promise<Batch> {
    const { host } = this.#parts;
    const texts = batch.host === host || batch.doubts > 0 ? undefined : await queue.read(batch.key);
    if (!texts?.length) return batch;
    const moved = {
      ...sealedBatch({ ...batch, host, key: deriveKey(batch.key, 0) }, texts),
      firstTry: batch.firstTry,
    };
    return (await queue.replace(batch.key, [{ batch: moved, texts }])) ? moved : batch;
  }

  #enter(entry: Entry): void {
    const { clock, host } = this.#parts;
    const { nextTry, lastTry, tooLarge } = entry.batch;
    // Limit the wait to its original length in case the clock was set back.
    const wait = nextTry - Math.max(clock.now(), lastTry);
    entry.due = clock.monotonic() + Math.max(0, wait);
    entry.isReady = true;
    this.#pending.enter(entry);
    if (!tooLarge && isForHost(entry, host)) this.#pace.adopt(entry);
  }
}
