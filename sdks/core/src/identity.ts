import { attempt } from './attempt.js';
import { isPersonId } from './message.js';
import { type KeyValueStore, type Random } from './ports.js';

/** Names of the values; the last one counts what was lost on this device. */
export const valueNames = ['device', 'anonymousId', 'userId', 'lost'] as const;

type Name = (typeof valueNames)[number];

export type Identity = ReturnType<typeof createIdentity>;

/**
 * Ids of the person and the device. Values are read from the store each time, because another tab may have changed
 * them. Memory keeps the values that the store does not keep.
 * @param onCleared called when the store has lost values
 */
// eslint-disable-next-line max-lines-per-function -- a factory of short functions: private names cost a page nothing
export function createIdentity(values: KeyValueStore | undefined, random: Random, onCleared: () => void) {
  let memory: Partial<Record<Name, string>> = {};
  let isPersistent = false;

  function read(name: Name): string | undefined {
    const stored = isPersistent ? attempt(() => values?.get(name)) : undefined;
    if (typeof stored === 'string') return (memory[name] = stored);
    const known = memory[name];
    if (known !== undefined) {
      // Each value is written when it is made, so a missing value was removed.
      if (stored === null && name === 'device') onCleared();
      write(name, known);
    }
    return known;
  }

  function write(name: Name, value: string): void {
    memory[name] = value;
    if (isPersistent) attempt(() => values?.set(name, value));
  }

  function idOf(name: 'device' | 'anonymousId'): string {
    const known = read(name);
    if (isPersonId(known)) return known;
    const id = random.uuid(name);
    write(name, id);
    return id;
  }

  function userId(): string | undefined {
    const id = read('userId');
    return isPersonId(id) ? id : undefined;
  }

  function reset(): void {
    // Empty instead of absent, because an absent value means that the store lost it.
    write('userId', '');
    write('anonymousId', random.uuid('anonymousId'));
  }

  /** Sets the user. A different user gets a new anonymousId, so that their events are never mixed. */
  function become(id: string): void {
    const previous = userId();
    if (previous !== undefined && previous !== id) reset();
    write('userId', id);
  }

  /** Number of messages given up on this device. */
  const lost = (): number => Number(read('lost')) || 0;

  return {
    device: () => idOf('device'),
    anonymousId: () => idOf('anonymousId'),
    userId,
    lost,
    giveUp: (count: number): void => write('lost', String(lost() + count)),
    /** Removes the user and makes a new anonymousId. The device id stays. */
    reset,
    become,
    /** True if the store has lost the value that was written. */
    isCleared: (): boolean => memory.device !== undefined && attempt(() => values?.get('device')) === null,
    /** Starts to read and write the store. Ids in the store replace those that were made in memory meanwhile. */
    persist(): void {
      const user = memory.userId;
      isPersistent = true;
      valueNames.forEach(read);
      // The person has changed meanwhile.
      if (user) become(user);
      else if (user === '' && memory.userId) reset();
    },
    /** Leaves the store alone from now on. */
    pause(): void {
      isPersistent = false;
    },
    /** Forgets everything, including the values in the store. */
    erase(): void {
      memory = {};
      isPersistent = false;
      attempt(() => values?.clear());
    },
  };
}
