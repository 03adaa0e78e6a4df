import { isPersonId } from './message.js';
import { type KeyValueStore, type Random } from './ports.js';

type Name = 'device' | 'anonymousId' | 'userId' | 'lost';

/**
 * Who acts on this device. Read from the store each time, since another tab may have changed it; what the store does
 * not keep is kept in memory.
 */
export class Identity {
  private memory: Partial<Record<Name, string>> = {};
  private isPersistent = false;

  /** @param onCleared called when the store has lost what was written to it */
  constructor(
    private readonly values: KeyValueStore,
    private readonly random: Random,
    private readonly onCleared: () => void,
  ) {}

  /** Whether the store has lost what was written to it. */
  get isCleared(): boolean {
    return this.memory.device !== undefined && attempt(() => this.values.get('device')) === null;
  }

  /** From now on the store is read and written. What it knows of the device wins over what memory made up meanwhile. */
  persist(): void {
    const { userId } = this.memory;
    this.isPersistent = true;
    for (const name of ['device', 'anonymousId', 'userId', 'lost'] as const) this.read(name);
    if (userId) this.write('userId', userId);
  }

  /** Forgets everything, in the store too. */
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

  /** Messages that were given up on this device. */
  get lost(): number {
    return Number(this.read('lost')) || 0;
  }

  giveUp(count: number): void {
    this.write('lost', String(this.lost + count));
  }

  /** Another person gets another anonymousId: nobody's events go to somebody else. */
  become(userId: string): void {
    const previous = this.userId;
    if (previous !== undefined && previous !== userId) this.reset();
    this.write('userId', userId);
  }

  /** No user, and a new anonymousId. The device stays. */
  reset(): void {
    // Empty, not absent: an absent value is one that the store lost.
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
      // Each value is written when it is made: one that is missing was removed.
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

/** Undefined when it throws: storage may be refused at any moment. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
