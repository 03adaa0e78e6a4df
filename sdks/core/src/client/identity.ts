import { attempt } from '../ports/attempt.js';
import { isPersonId } from '../message/message.js';
import { type KeyValueStore, type Random } from '../ports/ports.js';

/** Names of the values; the last one counts the messages lost on this device. */
export const valueNames = ['device', 'anonymousId', 'userId', 'lost'] as const;

type Name = (typeof valueNames)[number];

/**
 * Ids of the person and the device. Values are read from the store each time, because another tab may have changed
 * them. Memory keeps the values that the store does not keep.
 */
export class Identity {
  readonly #values: KeyValueStore | undefined;
  readonly #random: Random;
  readonly #onCleared: () => void;
  #memory: Partial<Record<Name, string>> = {};
  /** False while consent is pending, when nothing is read or written. */
  #isPersistent = false;

  /** @param onCleared called when the store has lost values */
  constructor(values: KeyValueStore | undefined, random: Random, onCleared: () => void) {
    this.#values = values;
    this.#random = random;
    this.#onCleared = onCleared;
  }

  get device(): string {
    return this.#readOrMakeId('device');
  }

  get anonymousId(): string {
    return this.#readOrMakeId('anonymousId');
  }

  get userId(): string | undefined {
    const id = this.#read('userId');
    return isPersonId(id) ? id : undefined;
  }

  /** Number of messages given up on this device. */
  get lost(): number {
    return Number(this.#read('lost')) || 0;
  }

  countLost(count: number): void {
    this.#write('lost', String(this.lost + count));
  }

  /** Removes the user and makes a new anonymousId. The device id stays. */
  reset(): void {
    // Empty instead of absent, because an absent value means that the store lost it.
    this.#write('userId', '');
    this.#write('anonymousId', this.#random.uuid('anonymousId'));
  }

  /** Sets the user. A different user gets a new anonymousId, so that events of two users never mix. */
  become(id: string): void {
    const previous = this.userId;
    if (previous !== undefined && previous !== id) this.reset();
    this.#write('userId', id);
  }

  /** True if the store has lost a value that was written. */
  isCleared(): boolean {
    return this.#memory.device !== undefined && attempt(() => this.#values?.get('device')) === null;
  }

  /** Starts to read and write the store. Ids in the store replace those that were made in memory before. */
  persist(): void {
    const user = this.#memory.userId;
    this.#isPersistent = true;
    for (const name of valueNames) this.#read(name);
    // The person has changed while nothing was read.
    if (user) this.become(user);
    else if (user === '' && this.#memory.userId) this.reset();
  }

  /** Leaves the store alone from now on. */
  pause(): void {
    this.#isPersistent = false;
  }

  /** Forgets everything, including the values in the store. */
  erase(): void {
    this.#memory = {};
    this.#isPersistent = false;
    attempt(() => this.#values?.clear());
  }

  #readOrMakeId(name: 'device' | 'anonymousId'): string {
    const storedId = this.#read(name);
    if (isPersonId(storedId)) return storedId;
    const id = this.#random.uuid(name);
    this.#write(name, id);
    return id;
  }

  #read(name: Name): string | undefined {
    const stored = this.#isPersistent ? attempt(() => this.#values?.get(name)) : undefined;
    if (typeof stored === 'string') return (this.#memory[name] = stored);
    const remembered = this.#memory[name];
    if (remembered !== undefined) {
      // Each value is written when it is made, so a missing value was removed.
      if (stored === null && name === 'device') this.#onCleared();
      this.#write(name, remembered);
    }
    return remembered;
  }

  #write(name: Name, value: string): void {
    this.#memory[name] = value;
    if (this.#isPersistent) attempt(() => this.#values?.set(name, value));
  }
}
