import { type Clock, type MaybePromise } from '@sluice/sdk-core';
import { isPromise, run, type Steps, wait } from '../storage/steps.js';
import { type Storage } from '../storage/storage.js';
import { type Decoded, decode, encode, type Slot } from './slot.js';
import { StoreCalls } from './store-calls.js';

/** Decides what becomes of a slot: undefined as `next` leaves it as it is, an empty `next` removes it. */
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

/**
 * Changes slots in turn, each with one write. A change that fails has certainly changed nothing. A change whose outcome
 * is unknown counts as made, and memory keeps the slot until the store has it, so that a message that the store may
 * have never gets another place.
 */
export class Slots {
  private isAsync: boolean;
  private readonly calls: StoreCalls;
  /** Slots that this client has written. */
  private readonly known = new Map<string, Slot>();
  /** Names of slots that the store may not have as they were written. */
  private readonly unsure = new Set<string>();
  private waiting: Waiting[] = [];
  /** Name of the slot that is being changed. */
  private changing: string | undefined;
  private pumping: Promise<void> | undefined;

  constructor(
    private readonly storage: Storage,
    private readonly options: SlotsOptions,
  ) {
    this.isAsync = options.isAsync;
    this.calls = new StoreCalls(options.clock, () => this.writeUnsure());
  }

  change<T>(name: string, make: Change<T>): MaybePromise<T> {
    if (!this.isAsync) {
      const made = run(this.apply(name, [make])) as MaybePromise<T[]>;
      if (!isPromise(made)) return made[0] as T;
      // Only the store's writes are asynchronous: from now on, a change waits for the one before.
      this.isAsync = true;
      this.changing = name;
      const goOn = (): Promise<void> | undefined => this.goOn();
      this.pumping = made.then(goOn, goOn);
      return made.then(([result]) => result as T);
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ name, change: make, resolve: resolve as Waiting['resolve'], reject });
      this.pumping ??= this.pump();
    });
  }

  /** The slot as the store has it, or as memory has it if the store may lack the last change. */
  read(name: string): MaybePromise<Decoded> {
    const own = this.known.get(name);
    return own && this.unsure.has(name) ? { slot: own, lost: 0 } : run(this.readSteps(name));
  }

  names(prefix: string): MaybePromise<string[]> {
    return run(this.namesSteps(prefix));
  }

  /** Names that the store may not list yet: their changes are waiting, being made, or in doubt. */
  pending(prefix: string): string[] {
    const names = new Set([...this.waiting.map(({ name }) => name), ...this.unsure]);
    if (this.changing !== undefined) names.add(this.changing);
    return [...names].filter((name) => name.startsWith(prefix));
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    while (this.pumping) await this.pumping;
  }

  /** True if the store has everything that was written. */
  isSafe(): boolean {
    return this.unsure.size === 0;
  }

  private *readSteps(name: string): Steps<Decoded> {
    const text = yield* this.textOf(name);
    return text === undefined ? { slot: yield* this.slotOf(name, text), lost: 0 } : decode(text);
  }

  private *namesSteps(prefix: string): Steps<string[]> {
    const names = yield* wait(this.calls.make(() => this.storage.getAllKeys()));
    return [...new Set([...names, ...this.unsure])].filter((name) => name.startsWith(prefix));
  }

  private writeUnsure(): void {
    const same: Change<undefined> = (slot) => [slot, undefined];
    for (const name of this.unsure) void Promise.resolve(this.change(name, same)).catch(() => undefined);
  }

  /** The text under the name; undefined if the store does not answer. */
  private *textOf(name: string): Steps<string | null | undefined> {
    try {
      return (yield* wait(this.calls.make(() => this.storage.getItem(name)))) ?? null;
    } catch {
      return undefined;
    }
  }

  /** @throws if the slot is unknown */
  private *slotOf(name: string, text: string | null | undefined): Steps<Slot> {
    const own = this.known.get(name);
    if (own && (text === undefined || this.unsure.has(name))) return own;
    if (text === undefined) throw new Error('the store cannot be read');
    if (text === null && own) {
      this.known.delete(name);
      yield* wait(this.options.gone());
    }
    return decode(text).slot;
  }

  private *apply(name: string, changes: readonly Change<unknown>[]): Steps<unknown[]> {
    const before = yield* this.textOf(name);
    const start = yield* this.slotOf(name, before);
    let slot = start;
    const results = changes.map((change) => {
      const [next, result] = change(slot);
      slot = next ?? slot;
      return result;
    });
    if (slot !== start || this.unsure.has(name)) yield* this.write(name, slot, before);
    return results;
  }

  private *write(name: string, slot: Slot, before: string | null | undefined): Steps<void> {
    const { storage, unsure } = this;
    const text = slot.length > 0 ? encode(slot) : null;
    try {
      yield* wait(this.calls.make(() => (text === null ? storage.removeItem(name) : storage.setItem(name, text))));
      unsure.delete(name);
    } catch (error) {
      const after = yield* this.textOf(name);
      if (after === text) unsure.delete(name);
      else if (after !== undefined && after === before) throw error;
      else {
        unsure.add(name);
        this.options.failed(error);
      }
    }
    if (text === null && !unsure.has(name)) this.known.delete(name);
    else this.known.set(name, slot);
  }

  private goOn(): Promise<void> | undefined {
    this.changing = undefined;
    this.pumping = this.waiting.length > 0 ? this.pump() : undefined;
    return this.pumping;
  }

  /** Makes the waiting changes, all those of a name with one write. */
  private async pump(): Promise<void> {
    // Also takes the changes that the caller makes in this turn.
    await Promise.resolve();
    for (let first = this.waiting[0]; first; first = this.waiting[0]) {
      const { name } = first;
      this.changing = name;
      const group = this.waiting.filter((one) => one.name === name);
      this.waiting = this.waiting.filter((one) => one.name !== name);
      try {
        await this.options.idsWritten?.();
        const changes = group.map((one) => one.change);
        const results = await run(this.apply(name, changes));
        for (const [at, one] of group.entries()) one.resolve(results[at]);
      } catch (error) {
        for (const one of group) one.reject(error);
      }
    }
    this.pumping = this.changing = undefined;
  }
}
