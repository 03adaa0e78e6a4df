import { isPersonId } from './message.js';
import { type KeyValueStore, type Random } from './ports.js';

type Name = 'device' | 'anonymousId' | 'userId' | 'lost';

/**
 * Ids of the person and the device. Values are read from the store each time, because another tab may have changed
 * them. Memory keeps the values that the store does not keep.
 */
export class Identity {
  private memory: Partial<Record<Name, string>> = {};
  private isPersistent = false;

  /** @param onCleared called when the store has lost values */
  constructor(
    private readonly values: KeyValueStore,
    private readonly random: Random,
    private readonly onCleared: () => void,
  ) {}

  /** True if the store has lost the value that was written. */
  get isCleared(): boolean {
    return this.memory.device !== undefined && attempt(() => this.values.get('device')) === null;
  }

  /** Starts to read and write the store. Ids in the store replace those that were made in memory meanwhile. */
  persist(): void {
    const { userId } = this.memory;
    this.isPersistent = true;
    for (const name of ['device', 'anonymousId', 'userId', 'lost'] as const) this.read(name);
    if (userId) this.write('userId', userId);
  }

  /** Forgets everything, including the values in the store. */
  erase(): void {
    this.memory = {};
    this.isPersistent = false;
    attempt(() => {
      this.values.clear();
    });
  }

  get device(): string {
    return this.idOf('device');
  }

  get anonymousId(): string {
    return this.idOf('anonymousId');
  }

  get userId(): string | undefined {
    const id = this.read('userId');
    return isPersonId(id) ? id : undefined;
  }

  /** Number of messages given up on this device. */
  get lost(): number {
    return Number(this.read('lost')) || 0;
  }

  giveUp(count: number): void {
    this.write('lost', String(this.lost + count));
  }

  /** Sets the user. A different user gets a new anonymousId, so that their events are never mixed. */
  become(userId: string): void {
    const previous = this.userId;
    if (previous !== undefined && previous !== userId) this.reset();
    this.write('userId', userId);
  }

  /** Removes the user and makes a new anonymousId. The device id stays. */
  reset(): void {
    // Empty instead of absent, because an absent value means that the store lost it.
    this.write('userId', '');
    this.write('anonymousId', this.random.uuid('anonymousId'));
  }

  private idOf(name: 'device' | 'anonymousId'): string {
    const known = this.read(name);
    if (isPersonId(known)) return known;
    const id = this.random.uuid(name);
    this.write(name, id);
    return id;
  }

  private read(name: Name): string | undefined {
    const stored = this.isPersistent ? attempt(() => this.values.get(name)) : undefined;
    if (typeof stored === 'string') return (this.memory[name] = stored);
    const known = this.memory[name];
    if (known !== undefined) {
      // Each value is written when it is made, so a missing value was removed.
      if (this.isPersistent && stored === null && name === 'device') this.onCleared();
      this.write(name, known);
    }
    return known;
  }

  private write(name: Name, value: string): void {
    this.memory[name] = value;
    if (this.isPersistent) {
      attempt(() => {
        this.values.set(name, value);
      });
    }
  }
}

/** Returns undefined if `work` throws, because browsers can refuse storage at any moment. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
