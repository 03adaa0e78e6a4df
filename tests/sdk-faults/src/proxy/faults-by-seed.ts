import { seeded } from '@sluice/sdk-contract';
import { type Fault, faults } from './fault.js';

/** Percentage of requests that meet each fault. */
export type FaultShares = Readonly<Partial<Record<keyof typeof faults, number>>>;

/** Faults of requests, the same for the same seed. `count` is called with the name of each. */
export function faultsBySeed(seed: number, shares: FaultShares, count: (name: string) => void): () => Fault {
  const random = seeded(seed);
  const namedShares = Object.entries(shares) as [keyof typeof faults, number][];
  return () => {
    let roll = random() * 100;
    const [name = 'none'] = namedShares.find(([, share]) => (roll -= share) < 0) ?? [];
    if (name !== 'none') count(name);
    const fault = faults[name];
    // A delay in milliseconds, a Retry-After in seconds.
    return typeof fault === 'function' ? fault(Math.ceil(random() * (name === 'delay' ? 500 : 20))) : fault;
  };
}
