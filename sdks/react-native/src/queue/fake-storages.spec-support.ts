import { seeded } from '@sluice/sdk-contract';
import { type Storage } from '../storage/storage.js';

/** A device's storage in memory. While it is full, writes that take more room fail. */
export class FakeStorage {
  readonly items = new Map<string, string>();
  isFull = false;

  set(name: string, text: string): void {
    if (this.isFull && text.length > (this.items.get(name)?.length ?? -1)) throw new Error('disk full');
    this.items.set(name, text);
  }

  sync(): Storage {
    return {
      getItem: (name) => this.items.get(name) ?? null,
      setItem: (name, text) => this.set(name, text),
      removeItem: (name) => this.items.delete(name),
      getAllKeys: () => [...this.items.keys()],
    };
  }
}

const never = new Promise<never>(() => undefined);

/** An asynchronous storage: calls take time and end in any order, and some writes fail although they were made. */
export class SlowStorage extends FakeStorage {
  inWork = 0;
  private readonly random: () => number;

  /** @param lies share of the writes that fail although they were made */
  constructor(
    seed: number,
    private readonly lies = 0,
  ) {
    super();
    this.random = seeded(seed);
  }

  /** The storage of a process. Once it is killed nothing more is done, and nobody learns what was. */
  async(life = { isAlive: true }): Storage {
    const later = async <T>(work: () => T): Promise<T> => {
      const done = await this.later(() => (life.isAlive ? work() : never));
      return life.isAlive ? done : never;
    };
    return {
      getItem: (name) => later(() => this.items.get(name) ?? null),
      setItem: (name, text) =>
        later(() => {
          this.set(name, text);
          this.lie();
        }),
      removeItem: (name) =>
        later(() => {
          this.items.delete(name);
          this.lie();
        }),
      getAllKeys: () => later(() => [...this.items.keys()]),
    };
  }

  private lie(): void {
    if (this.random() < this.lies) throw new Error('the connection to the store is gone');
  }

  /** Does the work after some turns, and answers after some more. */
  private async later<T>(work: () => T): Promise<T> {
    this.inWork++;
    try {
      await this.turns();
      const done = work();
      await this.turns();
      return done;
    } finally {
      this.inWork--;
    }
  }

  private async turns(): Promise<void> {
    for (let turn = this.random() * 4; turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
  }
}
