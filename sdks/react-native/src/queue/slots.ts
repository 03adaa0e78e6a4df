import { type Clock, type MaybePromise } from '@sluice/sdk-core';
import { isPromise, runSteps, type Steps, wait } from '../storage/steps.js';
import { type Storage } from '../storage/storage.js';
import { type Decoded, decode, encode, type Slot } from './slot.js';
import { StoreCalls } from './store-calls.js';

/** Decides what becomes of a slot: undefined as `next` leaves it as it is, an empty `next` removes it. */
export type SlotChange<T> = (slot: Slot) => readonly [next: Slot | undefined, result: T];

export interface SlotsOptions {
  readonly isAsync: boolean;
  readonly clock: Pick<Clock, 'later'>;
  /** Called for a write that may have been made or not. */
  readonly failed: (cause: unknown) => void;
  /** Resolves when the ids are written. Messages must not be sent under an id that the next run would not find. */
  readonly idsWritten?: () => Promise<unknown>;
  /** Called when the store lacks what this client has written. */
  readonly gone: () => MaybePromise<unknown>;
}

interface WaitingChange {
  readonly name: string;
  readonly change: SlotChange<unknown>;
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
  private readonly writtenSlots = new Map<string, Slot>();
  /** Names of slots that the store may not have as they were written. */
  private readonly unsure = new Set<string>();
  private waiting: WaitingChange[] = [];
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

  change<T>(name: string, make: SlotChange<T>): MaybePromise<T> {
    if (!this.isAsync) {
      const results = runSteps(this.apply(name, [make])) as MaybePromise<T[]>;
      if (!isPromise(results)) return results[0] as T;
      // Only the store's writes are asynchronous: from now on, a change waits for the one before.
      this.isAsync = true;
      this.changing = name;
      const goOn = (): Promise<void> | undefined => this.goOn();
      this.pumping = results.then(goOn, goOn);
      return results.then(([result]) => result as T);
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ name, change: make, resolve: resolve as WaitingChange['resolve'], reject });
      this.pumping ??= this.pump();
    });
  }

  /** The slot as the store has it, or as memory has it if the store may lack the last change. */
  read(name: string): MaybePromise<Decoded> {
    const ownSlot = this.writtenSlots.get(name);
    return ownSlot && this.unsure.has(name) ? { slot: ownSlot, lost: 0 } : runSteps(this.readSteps(name));
  }

  names(prefix: string): MaybePromise<string[]> {
    return runSteps(this.namesSteps(prefix));
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
    const text = yield* this.readText(name);
    return text === undefined ? { slot: yield* this.requireSlot(name, text), lost: 0 } : decode(text);
  }

  private *namesSteps(prefix: string): Steps<string[]> {
    const names = yield* wait(this.calls.make(() => this.storage.getAllKeys()));
    return [...new Set([...names, ...this.unsure])].filter((name) => name.startsWith(prefix));
  }

  private writeUnsure(): void {
    const keepUnchanged: SlotChange<undefined> = (slot) => [slot, undefined];
    for (const name of this.unsure) void Promise.resolve(this.change(name, keepUnchanged)).catch(() => undefined);
  }

  /** The text under the name; undefined if the store does not answer. */
  private *readText(name: string): Steps<string | null | undefined> {
    try {
      return (yield* wait(this.calls.make(() => this.storage.getItem(name)))) ?? null;
    } catch {
      return undefined;
    }
  }

  /** @throws if the slot is unknown */
  private *requireSlot(name: string, text: string | null | undefined): Steps<Slot> {
    const ownSlot = this.writtenSlots.get(name);
    if (ownSlot && (text === undefined || this.unsure.has(name))) return ownSlot;
    if (text === undefined) throw new Error('the store cannot be read');
    if (text === null && ownSlot) {
      this.writtenSlots.delete(name);
      yield* wait(this.options.gone());
    }
    return decode(text).slot;
  }

  private *apply(name: string, changes: readonly SlotChange<unknown>[]): Steps<unknown[]> {
    const textBefore = yield* this.readText(name);
    const start = yield* this.requireSlot(name, textBefore);
    let slot = start;
    const results = changes.map((change) => {
      const [next, result] = change(slot);
      slot = next ?? slot;
      return result;
    });
    if (slot !== start || this.unsure.has(name)) yield* this.write(name, slot, textBefore);
    return results;
  }

  private *write(name: string, slot: Slot, textBefore: string | null | undefined): Steps<void> {
    const { storage, unsure } = this;
    const text = slot.length > 0 ? encode(slot) : null;
    try {
      yield* wait(this.calls.make(() => (text === null ? storage.removeItem(name) : storage.setItem(name, text))));
      unsure.delete(name);
    } catch (error) {
      const textAfter = yield* this.readText(name);
      if (textAfter === text) unsure.delete(name);
      else if (textAfter !== undefined && textAfter === textBefore) throw error;
      else {
        unsure.add(name);
        this.options.failed(error);
      }
    }
    if (text === null && !unsure.has(name)) this.writtenSlots.delete(name);
    else this.writtenSlots.set(name, slot);
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
      const group = this.waiting.filter((waitingChange) => waitingChange.name === name);
      this.waiting = this.waiting.filter((waitingChange) => waitingChange.name !== name);
      try {
        await this.options.idsWritten?.();
        const changes = group.map((waitingChange) => waitingChange.change);
        const results = await runSteps(this.apply(name, changes));
        for (const [index, waitingChange] of group.entries()) waitingChange.resolve(results[index]);
      } catch (error) {
        for (const waitingChange of group) waitingChange.reject(error);
      }
    }
    this.pumping = this.changing = undefined;
  }
}
