import { type Batch, deriveKey, type MaybePromise, type QueueStore, makeSealedFields } from '@sluice/sdk-core';
import { runSteps, type Steps, wait } from '../storage/steps.js';
import { type Decoded, newer, type Slot, type SlotBatch } from './slot.js';
import { type SlotChange, type Slots } from './slots.js';

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
    private readonly source: string,
    private readonly listener: QueueListener,
  ) {}

  list(): MaybePromise<Batch[]> {
    return runSteps(this.listSteps());
  }

  append(batch: Batch, index: number, text: string): MaybePromise<boolean> {
    return runSteps(this.appendSteps(batch, index, text));
  }

  seal({ key, sealed, count }: Batch): MaybePromise<number | undefined> {
    return this.change<number | undefined>(
      key,
      (stored) => {
        if (stored.batch.sealed) return [undefined, stored.batch.count];
        const texts = sealed ? stored.texts.slice(0, count) : stored.texts;
        return [[{ batch: { ...stored.batch, ...makeSealedFields(texts) }, texts }], texts.length];
      },
      undefined,
    );
  }

  read(key: string): MaybePromise<string[] | undefined> {
    return runSteps(this.readSteps(key));
  }

  update(batch: Batch, doubts: number): MaybePromise<number | undefined> {
    const { key, tries, tooLarge, firstTry, lastTry, nextTry } = batch;
    const tryMembers = { tries, tooLarge, firstTry, lastTry, nextTry };
    return this.change<number | undefined>(
      key,
      ({ batch: stored, texts }) => {
        const sum = stored.doubts + doubts;
        return [[{ batch: { ...stored, ...tryMembers, doubts: sum }, texts }], sum];
      },
      undefined,
    );
  }

  replace(key: string, parts: readonly SlotBatch[]): MaybePromise<boolean> {
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
        const laterBatch = { ...batch, key: deriveKey(key, count), sealed: false, tries: 0 };
        return [later.length > 0 ? this.remember(key, [{ batch: laterBatch, texts: later }]) : [], undefined];
      },
      undefined,
    );
  }

  clear(sourceIdentifier: string): MaybePromise<number> {
    return runSteps(this.clearSteps(sourceIdentifier));
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

  private slotName(key: string): string {
    return this.names.get(key) ?? prefix + key;
  }

  /** Changes one batch; undefined leaves it as it is, an empty list removes it. */
  private change<T>(
    key: string,
    make: (stored: SlotBatch) => readonly [next: readonly SlotBatch[] | undefined, result: T],
    missing: T,
  ): MaybePromise<T> {
    return this.slots.change<T>(this.slotName(key), (slot) => {
      const stored = findBatch(slot, key);
      if (!stored) return [undefined, missing];
      const [next, result] = make(stored);
      return [next && slot.flatMap((current) => (current === stored ? next : [current])), result];
    });
  }

  /** Remembers the name of the slot for the batches that a change puts into the slot of another batch. */
  private remember(key: string, parts: readonly SlotBatch[]): readonly SlotBatch[] {
    const name = this.slotName(key);
    for (const { batch } of parts) this.names.set(batch.key, name);
    return parts;
  }

  private *appendSteps(batch: Batch, index: number, text: string): Steps<boolean> {
    const key = index > 0 ? deriveKey(batch.key, index) : batch.key;
    if (index === 0) this.own.add(key);
    try {
      const isTaken = yield* wait(this.slots.change(this.slotName(batch.key), addMessage({ ...batch }, index, text)));
      if (isTaken) this.onlyInMemory.delete(batch.key);
      else this.onlyInMemory.add(key);
      return isTaken;
    } catch (error) {
      this.onlyInMemory.add(key);
      throw error;
    }
  }

  private *readSteps(key: string): Steps<string[] | undefined> {
    const { slot } = yield* wait(this.slots.read(this.slotName(key)));
    const stored = findBatch(slot, key);
    return stored && [...stored.texts];
  }

  private *clearSteps(source: string): Steps<number> {
    this.onlyInMemory.clear();
    this.own.clear();
    let messages = 0;
    // 1. Erase what is being stored, which the list may lack. In this turn, so that waiting changes are not written.
    const pending = this.slots.pending(prefix).map((name) => Promise.resolve(this.erase(name, source)));
    for (const count of pending.length > 0 ? yield* wait(Promise.all(pending)) : []) messages += count;
    // 2. Erase what is stored, except batches begun since then, because consent was granted again.
    for (const name of yield* wait(this.slots.names(prefix))) {
      if (!this.own.has(name.slice(prefix.length))) messages += yield* wait(this.erase(name, source));
    }
    return messages;
  }

  /** Erases the batches of a source in a slot. Returns the number of their messages. */
  private erase(name: string, source: string): MaybePromise<number> {
    return this.slots.change(name, (slot) => {
      const otherBatches = slot.filter(({ batch }) => batch.sourceIdentifier !== source);
      const messages = slot.reduce(
        (sum, { batch, texts }) => sum + (batch.sourceIdentifier === source ? texts.length : 0),
        0,
      );
      return [otherBatches.length < slot.length ? otherBatches : undefined, messages];
    });
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
    const slotNames = yield* wait(this.slots.names(prefix));
    const batches: Batch[] = [];
    // All are asked for at once; an asynchronous store answers them together.
    const reads = slotNames.map((name) => runSteps(this.attemptRead(name)));
    for (const [index, name] of slotNames.entries()) {
      const decoded = yield* wait(reads[index]);
      if (!decoded) continue;
      const slot = decoded.lost > 0 ? yield* this.repair(name, decoded) : decoded.slot;
      for (const { batch } of slot) {
        if (prefix + batch.key !== name) this.names.set(batch.key, name);
        // An open batch of another source may have a living client in this app.
        const isLeft = batch.sourceIdentifier === this.source && !batch.sealed && !this.own.has(batch.key);
        batches.push(isLeft ? yield* this.adopt(batch) : { ...batch });
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
    const repaired = slot.map(({ batch, texts }) => ({
      batch: { ...batch, bytes: makeSealedFields(texts).bytes },
      texts,
    }));
    try {
      yield* wait(this.slots.change(name, () => [repaired, undefined]));
    } catch {
      // The slot stays damaged, so the next start counts the same loss again: better twice than never.
    }
    return repaired;
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

const findBatch = (slot: Slot, key: string): SlotBatch | undefined => slot.find(({ batch }) => batch.key === key);

/** Adds a message. The result is true if the batch took it. */
const addMessage =
  (batch: Batch, index: number, text: string): SlotChange<boolean> =>
  (slot) => {
    const stored = findBatch(slot, batch.key);
    if (!stored)
      return index === 0
        ? [[...slot, { batch: { ...batch, sealed: false }, texts: [text] }], true]
        : [undefined, false];
    if (stored.texts[index] === text) return [undefined, true];
    if (index === 0 || stored.batch.sealed || stored.texts.length !== index) return [undefined, false];
    const next = { batch: { ...stored.batch, bytes: batch.bytes }, texts: [...stored.texts, text] };
    return [slot.map((current) => (current === stored ? next : current)), true];
  };
