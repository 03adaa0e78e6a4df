import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, faults } from '../proxy/fault.js';
import { type ProxiedRequest } from '../proxy/fault-proxy.js';

/** Outage of an hour of the clients' time, which is a minute. */
const hourMs = 60_000;

/** Outages in which every request meets the same fault: up to ten minutes of the clients' time, the last an hour. */
const outages: readonly [name: string, fault: Fault][] = [
  ['5xx for a while', faults.unavailable(5)],
  ['no service for a while', faults.resetBefore],
  ['key revoked for a while', faults.unauthorized],
  ['portal for a while', faults.portal],
  ['413 for over 1.5 KB for a while', faults.tooLarge],
  ['5xx for an hour', faults.unavailable(5)],
];

/** The current outage, if there is one. */
export class Outages {
  private current: (typeof outages)[number] | undefined;

  constructor(
    private readonly random: () => number,
    private readonly count: (name: string) => void,
  ) {}

  /** The fault of the current outage for a request. */
  chooseFault(request: ProxiedRequest): Fault | undefined {
    if (!this.current) return undefined;
    const [name, fault] = this.current;
    if (isRefusedForSize(fault) && !isLarge(request)) return undefined;
    this.count(name);
    return fault;
  }

  /** @param maxMs maximum of an outage, and of the time between two */
  async come(isOver: () => boolean, maxMs: number): Promise<void> {
    let turn = 0;
    while (!isOver()) {
      await sleep(this.random() * maxMs);
      // In turn, so that a run of some minutes meets each.
      this.current = outages[turn++ % outages.length];
      const isHour = this.current?.[0] === '5xx for an hour';
      await sleepWhile(() => !isOver(), isHour ? hourMs : this.random() * maxMs);
      this.current = undefined;
    }
  }
}

/** A single message is smaller: a client that divides batches correctly never has to give one up. */
export const isLarge = ({ bytes }: ProxiedRequest): boolean => bytes > 1_500;

const isRefusedForSize = (fault: Fault): boolean => fault.kind === 'answer' && fault.status === 413;

/** Sleeps for `ms`, or until the condition ends. */
async function sleepWhile(condition: () => boolean, ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (condition() && performance.now() < until) await sleep(Math.min(500, until - performance.now()));
}
