import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from '@sluice/sdk-contract';
import { type Fault, faults } from '../proxy/fault.js';
import { type FaultShares, faultsBySeed } from '../proxy/faults-by-seed.js';
import { type Around } from './platform.js';

const maxOutageMs = 6_000;

/** Percentage of requests that meet each fault. */
const shares: FaultShares = {
  cutBefore: 6,
  cutMidRequest: 6,
  cutAfter: 10,
  cutMidAnswer: 5,
  resetBefore: 6,
  resetAfter: 8,
  silence: 2,
  silenceAfter: 3,
  delay: 8,
  rateLimited: 5,
  unavailable: 5,
  portal: 2,
  portalRedirect: 2,
  badGateway: 2,
  gatewayTimeout: 4,
};

/** Times in which every request meets the same fault. */
const outages: readonly [name: string, fault: Fault][] = [
  ['5xx for a while', faults.unavailable(5)],
  ['no service for a while', faults.resetBefore],
  ['key revoked for a while', faults.unauthorized],
];

/** Requests meet faults by their shares, and now and then an outage. */
export async function injectServiceFaults(around: Around, isOver: () => boolean): Promise<void> {
  const { proxy, fault: count, options } = around;
  const random = seeded(options.seed + 1);
  const byShares = faultsBySeed(options.seed + 2, shares, count);
  while (!isOver()) {
    proxy.choose = byShares;
    await sleep(random() * 2 * maxOutageMs);
    const [name, fault] = outages[Math.floor(random() * outages.length)] ?? ['', faults.none];
    proxy.choose = () => {
      count(name);
      return fault;
    };
    await sleep(random() * maxOutageMs);
  }
}
