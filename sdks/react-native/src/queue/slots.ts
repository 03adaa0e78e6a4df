import { type Clock, type MaybePromise } from '@sluice/sdk-core';
import { isPromise, run, type Steps, wait } from '../storage/steps.js';
import { type Storage } from '../storage/storage.js';
import { type Decoded, decode, encode, type Slot } from './slot.js';

/** What becomes of a slot: `[next, result]`; no next leaves it as it is, an empty one removes it. */
export type Change<T> = (slot: Slot) => readonly [next: Slot | undefined, result: T];

export interface SlotsOptions {
  readonly isAsync: boolean;
  readonly clock: Pick<Clock, 'later'>;
  /** Called for a write that may have been made or not. */
  readonly failed: (cause: unknown) => void;
  /** Resolves when the ids are written: the next run must not send messages under an id that it does not have. */
  readonly idsWritten?: () => Promise<unknown>;
  /** Called when the store lacks what this client has written. */
  readonly gone: () => MaybePromise<unknown>;
}

interface Waiting {
  readonly name: string;
  readonly change: Change<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Time after which a call of the store counts as hanging. */
const timeout = 10_000;

export type Slots = ReturnType<typeof createSlots>;

/**
 * Changes slots in turn, each with one write. A change that fails has certainly changed nothing: if it is
 * not known, it counts as made, and memory keeps what it made until the store has it. So a message that the store may
 * have never gets another place.
 */
// eslint-disable-next-line max-lines-per-function -- a factory of short functions which share the same few variables
export function createSlots(
  storage: Storage,
  { isAsync: isKnownAsync, clock, failed, idsWritten, gone }: SlotsOptions,
) {
  let isAsync = isKnownAsync;
  /** Slots that this client has written. */
  const known = new Map<string, Slot>();
  /** Names of those that the store may not have. */
  const unsure = new Set<string>();
  let waiting: Waiting[] = [];
  /** Name of the slot that is being changed. */
  let changing: string | undefined;
  let pumping: Promise<void> | undefined;
  /** A call that does not come back. Another one before it ends could be overtaken by it. */
  let hanging: Promise<unknown> | undefined;

  function call<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    if (hanging) throw new Error('the store does not answer');
    const answer = work();
    if (!isPromise(answer)) return answer;
    return new Promise<T>((resolve, reject) => {
      const cancel = clock.later(timeout, () => {
        hanging = answer;
        answer.then(goOn, goOn);
        reject(new Error('the store does not answer'));
      });
      answer.then(
        (value) => {
          cancel();
          resolve(value);
        },
        (error: unknown) => {
          cancel();
          reject(asError(error));
        },
      );
    });
  }

  function goOn(): void {
    hanging = undefined;
    const same: Change<undefined> = (slot) => [slot, undefined];
    for (const name of unsure) void Promise.resolve(change(name, same)).catch(() => undefined);
  }

  /** The text under the name; undefined if the store does not say. */
  function* textOf(name: string): Steps<string | null | undefined> {
    try {
      return (yield* wait(call(() => storage.getItem(name)))) ?? null;
    } catch {
      return undefined;
    }
  }

  /** @throws if the slot is unknown */
  function* slotOf(name: string, text: string | null | undefined): Steps<Slot> {
    const own = known.get(name);
    if (own && (text === undefined || unsure.has(name))) return own;
    if (text === undefined) throw new Error('the store cannot be read');
    if (text === null && own) {
      known.delete(name);
      yield* wait(gone());
    }
    return decode(text).slot;
  }

  function* apply(name: string, changes: readonly Change<unknown>[]): Steps<unknown[]> {
    const before = yield* textOf(name);
    const start = yield* slotOf(name, before);
    let slot = start;
    const results = changes.map((change) => {
      const [next, result] = change(slot);
      slot = next ?? slot;
      return result;
    });
    if (slot !== start || unsure.has(name)) yield* write(name, slot, before);
    return results;
  }

  function* write(name: string, slot: Slot, before: string | null | undefined): Steps<void> {
    const text = slot.length > 0 ? encode(slot) : null;
    try {
      yield* wait(call(() => (text === null ? storage.removeItem(name) : storage.setItem(name, text))));
      unsure.delete(name);
    } catch (error) {
      const after = yield* textOf(name);
      if (after === text) unsure.delete(name);
      else if (after !== undefined && after === before) throw error;
      else {
        unsure.add(name);
        failed(error);
      }
    }
    if (text === null && !unsure.has(name)) known.delete(name);
    else known.set(name, slot);
  }

  function goOnPumping(): Promise<void> | undefined {
    changing = undefined;
    pumping = waiting.length > 0 ? pump() : undefined;
    return pumping;
  }

  /** Makes what waits, all changes of a name with one write. */
  async function pump(): Promise<void> {
    // Takes what the caller does next, too.
    await Promise.resolve();
    for (let first = waiting[0]; first; first = waiting[0]) {
      const { name } = first;
      changing = name;
      const group = waiting.filter((one) => one.name === name);
      waiting = waiting.filter((one) => one.name !== name);
      try {
        await idsWritten?.();
        const changes = group.map((one) => one.change);
        const results = await run(apply(name, changes));
        for (const [at, one] of group.entries()) one.resolve(results[at]);
      } catch (error) {
        for (const one of group) one.reject(error);
      }
    }
    pumping = changing = undefined;
  }

  function change<T>(name: string, make: Change<T>): MaybePromise<T> {
    if (!isAsync) {
      const made = run(apply(name, [make])) as MaybePromise<T[]>;
      if (!isPromise(made)) return made[0] as T;
      // Only its writes are asynchronous: the next change waits for this one.
      isAsync = true;
      changing = name;
      pumping = made.then(goOnPumping, goOnPumping);
      return made.then(([result]) => result as T);
    }
    return new Promise((resolve, reject) => {
      waiting.push({ name, change: make, resolve: resolve as Waiting['resolve'], reject });
      pumping ??= pump();
    });
  }

  return {
    change,
    /** The slot as the store has it, or memory if the store may not have it. */
    read(name: string): MaybePromise<Decoded> {
      const own = known.get(name);
      if (own && unsure.has(name)) return { slot: own, lost: 0 };
      return run(
        (function* () {
          const text = yield* textOf(name);
          if (text === undefined) return { slot: yield* slotOf(name, text), lost: 0 };
          return decode(text);
        })(),
      );
    },
    names(prefix: string): MaybePromise<string[]> {
      return run(
        (function* () {
          const names = yield* wait(call(() => storage.getAllKeys()));
          return [...new Set([...names, ...unsure])].filter((name) => name.startsWith(prefix));
        })(),
      );
    },
    /** Names that the store may not list yet: changes of them wait, are being made, or may have been made or not. */
    pending(prefix: string): string[] {
      const names = new Set([...waiting.map(({ name }) => name), ...unsure]);
      if (changing !== undefined) names.add(changing);
      return [...names].filter((name) => name.startsWith(prefix));
    },
    /** Resolves when nothing is being written. */
    async idle(): Promise<void> {
      while (pumping) await pumping;
    },
    /** True if the store has everything that was written. */
    isSafe: (): boolean => unsure.size === 0,
  };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
