import { type Batch, derivedKey, type MaybePromise, type QueueStore, sealWith } from '@sluice/sdk-core';
import { run, type Steps, wait } from '../storage/steps.js';
import { type Decoded, newer, type Slot, type Stored } from './slot.js';
import { type Change, type Slots } from './slots.js';

const prefix = 'sluice.b.';

export interface QueueListener {
  /** Called with the number of messages of the store that are damaged. */
  readonly damaged: (count: number) => void;
  /** Called when batches of earlier runs could not be read: a later list may have them. */
  readonly incomplete: () => void;
}

export interface KvQueue extends QueueStore {
  /** True if the store has all messages that it was given. */
  isSafe(): boolean;
  /** Resolves when nothing is being written. */
  idle(): Promise<void>;
  /** Notes that a batch has arrived: its messages are safe, even if only memory had them. */
  arrived(key: string): void;
}

/**
 * Batches in a store of texts by name: one text per batch, written as a whole.
 */
// eslint-disable-next-line max-lines-per-function -- a factory of short functions, one for each call of the interface
export function createQueue(slots: Slots, { damaged, incomplete }: QueueListener): KvQueue {
  /** Names of the slots of batches that were made by dividing others. */
  const names = new Map<string, string>();
  /** Keys of batches of which memory has messages that the store does not have. */
  const onlyInMemory = new Set<string>();
  /** Keys of the batches that this client began since the last `clear`. */
  const own = new Set<string>();

  const nameOf = (key: string): string => names.get(key) ?? prefix + key;
  const find = (slot: Slot, key: string): Stored | undefined => slot.find(({ batch }) => batch.key === key);

  /** Changes one batch; undefined leaves it as it is, an empty list removes it. */
  const changeBatch = <T>(
    key: string,
    make: (stored: Stored) => readonly [next: readonly Stored[] | undefined, result: T],
    missing: T,
  ): MaybePromise<T> =>
    slots.change<T>(nameOf(key), (slot) => {
      const stored = find(slot, key);
      if (!stored) return [undefined, missing];
      const [next, result] = make(stored);
      return [next && slot.flatMap((one) => (one === stored ? next : [one])), result];
    });

  /** Remembers under which name the batches lie that a change puts into the slot of another batch. */
  function lies(key: string, parts: readonly Stored[]): readonly Stored[] {
    const name = nameOf(key);
    for (const { batch } of parts) names.set(batch.key, name);
    return parts;
  }

  const sealBatch = ({ key, sealed, count }: Batch): MaybePromise<number | undefined> =>
    changeBatch<number | undefined>(
      key,
      (stored) => {
        if (stored.batch.sealed) return [undefined, stored.batch.count];
        const texts = sealed ? stored.texts.slice(0, count) : stored.texts;
        return [[{ batch: { ...stored.batch, ...sealWith(texts) }, texts }], texts.length];
      },
      undefined,
    );

  function* appendSteps(batch: Batch, index: number, text: string): Steps<boolean> {
    const key = index > 0 ? derivedKey(batch.key, index) : batch.key;
    if (index === 0) own.add(key);
    try {
      const isTaken = yield* wait(slots.change(nameOf(batch.key), appending({ ...batch }, index, text)));
      if (isTaken) onlyInMemory.delete(batch.key);
      else onlyInMemory.add(key);
      return isTaken;
    } catch (error) {
      onlyInMemory.add(key);
      throw error;
    }
  }

  const erase = (name: string): MaybePromise<undefined> => slots.change(name, () => [[], undefined]);

  function* clearSteps(): Steps<void> {
    onlyInMemory.clear();
    own.clear();
    // 1. What is being stored, of which the list may say nothing. Asked for at once, so that what waits is not written.
    const pending = slots.pending(prefix).map(async (name) => {
      await erase(name);
    });
    if (pending.length > 0) yield* wait(Promise.all(pending));
    // 2. What is stored, except for batches that were begun since, because consent was granted again.
    for (const name of yield* wait(slots.names(prefix))) {
      if (!own.has(name.slice(prefix.length))) yield* wait(erase(name));
    }
  }

  function* listSteps(): Steps<Batch[]> {
    const found = yield* wait(slots.names(prefix));
    const batches: Batch[] = [];
    // All are asked for at once; an asynchronous store answers them together.
    const asked = found.map((name) => attemptRead(name));
    for (const [at, name] of found.entries()) {
      const decoded = yield* wait(asked[at]);
      if (!decoded) continue;
      const slot = decoded.lost > 0 ? yield* repair(name, decoded) : decoded.slot;
      for (const { batch } of slot) {
        if (prefix + batch.key !== name) names.set(batch.key, name);
        batches.push(batch.sealed || own.has(batch.key) ? { ...batch } : yield* adopt(batch));
      }
    }
    return batches;
  }

  /** Seals a batch of an earlier run. If that fails now, the caller tries it again. */
  function* adopt(batch: Batch): Steps<Batch> {
    try {
      const count = yield* wait(sealBatch(batch));
      return { ...batch, sealed: true, count: count ?? 0 };
    } catch {
      return { ...batch };
    }
  }

  /** Undefined if the slot cannot be read now, or is of a newer version: it stays as it is. */
  function attemptRead(name: string): MaybePromise<Decoded | undefined> {
    return run(
      (function* () {
        try {
          return yield* wait(slots.read(name));
        } catch (error) {
          if (error !== newer) incomplete();
          return undefined;
        }
      })(),
    );
  }

  /** Writes down what is left of a damaged slot, so that the damage is counted once. */
  function* repair(name: string, { slot, lost }: Decoded): Steps<Slot> {
    damaged(lost);
    const left = slot.map(({ batch, texts }) => ({ batch: { ...batch, bytes: sealWith(texts).bytes }, texts }));
    try {
      yield* wait(slots.change(name, () => [left, undefined]));
    } catch {
      // The next start counts it again: too much is better than nothing.
    }
    return left;
  }

  return {
    list: () =>
      run(
        (function* () {
          try {
            return yield* listSteps();
          } catch (error) {
            incomplete();
            throw error;
          }
        })(),
      ),
    append: (batch, index, text) => run(appendSteps(batch, index, text)),
    seal: sealBatch,
    read: (key) =>
      run(
        (function* () {
          const { slot } = yield* wait(slots.read(nameOf(key)));
          const stored = find(slot, key);
          return stored && [...stored.texts];
        })(),
      ),
    update({ key, tries, tooLarge, firstTry, lastTry, nextTry }, doubts) {
      const noted = { tries, tooLarge, firstTry, lastTry, nextTry };
      return changeBatch<number | undefined>(
        key,
        ({ batch, texts }) => {
          const sum = batch.doubts + doubts;
          return [[{ batch: { ...batch, ...noted, doubts: sum }, texts }], sum];
        },
        undefined,
      );
    },
    replace: (key, parts) =>
      changeBatch(key, ({ batch }) => (batch.doubts > 0 ? [undefined, false] : [lies(key, parts), true]), false),
    remove: ({ key, count }) =>
      changeBatch(
        key,
        ({ batch, texts }) => {
          const later = texts.slice(count);
          const rest = { ...batch, key: derivedKey(key, count), sealed: false, tries: 0 };
          return [later.length > 0 ? lies(key, [{ batch: rest, texts: later }]) : [], undefined];
        },
        undefined,
      ),
    clear: () => run(clearSteps()),
    isSafe: () => onlyInMemory.size === 0 && slots.isSafe(),
    idle: () => slots.idle(),
    arrived(key) {
      onlyInMemory.delete(key);
    },
  };
}

/** Adds a message; the result says whether the batch took it. */
const appending =
  (batch: Batch, index: number, text: string): Change<boolean> =>
  (slot) => {
    const stored = slot.find((one) => one.batch.key === batch.key);
    if (!stored)
      return index === 0
        ? [[...slot, { batch: { ...batch, sealed: false }, texts: [text] }], true]
        : [undefined, false];
    if (stored.texts[index] === text) return [undefined, true];
    if (index === 0 || stored.batch.sealed || stored.texts.length !== index) return [undefined, false];
    const next = { batch: { ...stored.batch, bytes: batch.bytes }, texts: [...stored.texts, text] };
    return [slot.map((one) => (one === stored ? next : one)), true];
  };
