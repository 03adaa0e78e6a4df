import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, faults } from '../proxy/fault.js';

/** Times in which every request meets the same fault, each up to ten minutes of the clients' time. */
const outages: readonly [name: string, fault: Fault][] = [
  ['5xx for a while', faults.unavailable(5)],
  ['no service for a while', faults.resetBefore],
  ['key revoked for a while', faults.unauthorized],
  ['portal for a while', faults.portal],
  ['bodies too large for a while', faults.tooLarge],
];

/** The fault of the outage of the moment, if there is one. */
export class Outages {
  private current: (typeof outages)[number] | undefined;

  constructor(
    private readonly random: () => number,
    private readonly count: (name: string) => void,
  ) {}

  /** Of an outage of the moment. */
  fault(): Fault | undefined {
    if (!this.current) return undefined;
    const [name, fault] = this.current;
    this.count(name);
    return fault;
  }

  /** @param longestMs of one outage; between two is as much time */
  async come(isOver: () => boolean, longestMs: number): Promise<void> {
    while (!isOver()) {
      await sleep(this.random() * longestMs);
      this.current = outages[Math.floor(this.random() * outages.length)];
      await sleep(this.random() * longestMs);
      this.current = undefined;
    }
  }
}
