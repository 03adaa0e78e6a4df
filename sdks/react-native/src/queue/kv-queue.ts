import { type Batch, derivedKey, type MaybePromise, type QueueStore, sealWith } from '@sluice/sdk-core';
import { run, type Steps, wait } from '../storage/steps.js';
import { type Decoded, newer, type Slot, type Stored } from './slot.js';
import { type Change, type Slots } from './slots.js';

const prefix = 'sluice.b.';

export interface QueueListener {
  /** Called with the number of damaged messages in the store. */
  readonly damaged: (count: number) => void;
  /** Called when batches of earlier runs could not be read: a later list may have them. */
  readonly incomplete: () => void;
}

/** Batches in a store of texts by name: one text per batch, written as a whole. */
export class KvQueue implements QueueStore {
  /** Names of slots by key, for batches that lie in the slot of another batch. */
  private readonly names = new Map<string, string>();
  /** Keys of batches with messages that only memory has. */
  private readonly onlyInMemory = new Set<string>();
  /** Keys of the batches that this client began since the last `clear`. */
  private readonly own = new Set<string>();

  constructor(
    private readonly slots: Slots,
    private readonly listener: QueueListener,
  ) {}

  list(): MaybePromise<Batch[]> {
    return run(this.listSteps());
  }

  append(batch: Batch, index: number, text: string): MaybePromise<boolean> {
    return run(this.appendSteps(batch, index, text));
  }

  seal({ key, sealed, count }: Batch): MaybePromise<number | undefined> {
    return this.change<number | undefined>(
      key,
      (stored) => {
        if (stored.batch.sealed) return [undefined, stored.batch.count];
        const texts = sealed ? stored.texts.slice(0, count) : stored.texts;
        return [[{ batch: { ...stored.batch, ...sealWith(texts) }, texts }], texts.length];
      },
      undefined,
    );
  }

  read(key: string): MaybePromise<string[] | undefined> {
    return run(this.readSteps(key));
  }

  update(batch: Batch, doubts: number): MaybePromise<number | undefined> {
    const { key, tries, tooLarge, firstTry, lastTry, nextTry } = batch;
    const noted = { tries, tooLarge, firstTry, lastTry, nextTry };
    return this.change<number | undefined>(
      key,
      ({ batch: stored, texts }) => {
        const sum = stored.doubts + doubts;
        return [[{ batch: { ...stored, ...noted, doubts: sum }, texts }], sum];
      },
      undefined,
    );
  }

  replace(key: string, parts: readonly Stored[]): MaybePromise<boolean> {
    return this.change(
      key,
      ({ batch }) => (batch.doubts > 0 ? [undefined, false] : [this.remember(key, parts), true]),
      false,
    );
  }

  remove({ key, count }: Batch): MaybePromise<void> {
    return this.change(
      key,
      ({ batch, texts }) => {
        // Later messages are not sent yet.
        const later = texts.slice(count);
        const rest = { ...batch, key: derivedKey(key, count), sealed: false, tries: 0 };
        return [later.length > 0 ? this.remember(key, [{ batch: rest, texts: later }]) : [], undefined];
      },
      undefined,
    );
  }

  clear(): MaybePromise<void> {
    return run(this.clearSteps());
  }

  /** True if the store has all messages that it was given. */
  isSafe(): boolean {
    return this.onlyInMemory.size === 0 && this.slots.isSafe();
  }

  /** Resolves when nothing is being written. */
  idle(): Promise<void> {
    return this.slots.idle();
  }

  /** Notes that a batch has arrived: its messages are safe, even if only memory had them. */
  arrived(key: string): void {
    this.onlyInMemory.delete(key);
  }

  private nameOf(key: string): string {
    return this.names.get(key) ?? prefix + key;
  }

  /** Changes one batch; undefined leaves it as it is, an empty list removes it. */
  private change<T>(
    key: string,
    make: (stored: Stored) => readonly [next: readonly Stored[] | undefined, result: T],
    missing: T,
  ): MaybePromise<T> {
    return this.slots.change<T>(this.nameOf(key), (slot) => {
      const stored = find(slot, key);
      if (!stored) return [undefined, missing];
      const [next, result] = make(stored);
      return [next && slot.flatMap((one) => (one === stored ? next : [one])), result];
    });
  }

  /** Remembers the name of the slot for the batches that a change puts into the slot of another batch. */
  private remember(key: string, parts: readonly Stored[]): readonly Stored[] {
    const name = this.nameOf(key);
    for (const { batch } of parts) this.names.set(batch.key, name);
    return parts;
  }

  private *appendSteps(batch: Batch, index: number, text: string): Steps<boolean> {
    const key = index > 0 ? derivedKey(batch.key, index) : batch.key;
    if (index === 0) this.own.add(key);
    try {
      const isTaken = yield* wait(this.slots.change(this.nameOf(batch.key), appending({ ...batch }, index, text)));
      if (isTaken) this.onlyInMemory.delete(batch.key);
      else this.onlyInMemory.add(key);
      return isTaken;
    } catch (error) {
      this.onlyInMemory.add(key);
      throw error;
    }
  }

  private *readSteps(key: string): Steps<string[] | undefined> {
    const { slot } = yield* wait(this.slots.read(this.nameOf(key)));
    const stored = find(slot, key);
    return stored && [...stored.texts];
  }

  private *clearSteps(): Steps<void> {
    this.onlyInMemory.clear();
    this.own.clear();
    // 1. Erase what is being stored, which the list may lack. In this turn, so that waiting changes are not written.
    const pending = this.slots.pending(prefix).map(async (name) => {
      await this.erase(name);
    });
    if (pending.length > 0) yield* wait(Promise.all(pending));
    // 2. Erase what is stored, except batches begun since then, because consent was granted again.
    for (const name of yield* wait(this.slots.names(prefix))) {
      if (!this.own.has(name.slice(prefix.length))) yield* wait(this.erase(name));
    }
  }

  private erase(name: string): MaybePromise<undefined> {
    return this.slots.change(name, () => [[], undefined]);
  }

  private *listSteps(): Steps<Batch[]> {
    try {
      return yield* this.readAll();
    } catch (error) {
      this.listener.incomplete();
      throw error;
    }
  }

  private *readAll(): Steps<Batch[]> {
    const found = yield* wait(this.slots.names(prefix));
    const batches: Batch[] = [];
    // All are asked for at once; an asynchronous store answers them together.
    const asked = found.map((name) => run(this.attemptRead(name)));
    for (const [at, name] of found.entries()) {
      const decoded = yield* wait(asked[at]);
      if (!decoded) continue;
      const slot = decoded.lost > 0 ? yield* this.repair(name, decoded) : decoded.slot;
      for (const { batch } of slot) {
        if (prefix + batch.key !== name) this.names.set(batch.key, name);
        batches.push(batch.sealed || this.own.has(batch.key) ? { ...batch } : yield* this.adopt(batch));
      }
    }
    return batches;
  }

  /** Undefined if the slot cannot be read now, or is of a newer version: it stays as it is. */
  private *attemptRead(name: string): Steps<Decoded | undefined> {
    try {
      return yield* wait(this.slots.read(name));
    } catch (error) {
      if (error !== newer) this.listener.incomplete();
      return undefined;
    }
  }

  /** Stores what is left of a damaged slot, so that the damage is counted once. */
  private *repair(name: string, { slot, lost }: Decoded): Steps<Slot> {
    this.listener.damaged(lost);
    const left = slot.map(({ batch, texts }) => ({ batch: { ...batch, bytes: sealWith(texts).bytes }, texts }));
    try {
      yield* wait(this.slots.change(name, () => [left, undefined]));
    } catch {
      // The next start counts it again: too much is better than nothing.
    }
    return left;
  }

  /** Seals a batch of an earlier run. If that fails now, the caller tries it again. */
  private *adopt(batch: Batch): Steps<Batch> {
    try {
      const count = yield* wait(this.seal(batch));
      return { ...batch, sealed: true, count: count ?? 0 };
    } catch {
      return { ...batch };
    }
  }
}

const find = (slot: Slot, key: string): Stored | undefined => slot.find(({ batch }) => batch.key === key);

/** Adds a message; the result says whether the batch took it. */
const appending =
  (batch: Batch, index: number, text: string): Change<boolean> =>
  (slot) => {
    const stored = find(slot, batch.key);
    if (!stored)
      return index === 0
        ? [[...slot, { batch: { ...batch, sealed: false }, texts: [text] }], true]
        : [undefined, false];
    if (stored.texts[index] === text) return [undefined, true];
    if (index === 0 || stored.batch.sealed || stored.texts.length !== index) return [undefined, false];
    const next = { batch: { ...stored.batch, bytes: batch.bytes }, texts: [...stored.texts, text] };
    return [slot.map((one) => (one === stored ? next : one)), true];
  };
