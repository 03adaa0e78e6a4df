import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultClass } from '../thousand/fault-class.js';
import { type Random } from '@sluice/testing';
import { type Stage } from '../thousand/stage.js';

/** Processes of the tracking service that die, pause or join. */
const aboutConsumers = { scope: 'tracking', takes: ['consumers'] } as const;
const crashPoints = ['after-intent', 'after-insert', 'after-dead-letters'];
/** Time after which a doomed process is killed even if it has not reached its crash point. */
const doomedMs = 8_000;
const olderCheckout = process.env['OLDER_CHECKOUT'];

async function pause({ tracking }: Stage, index: number, ms: number): Promise<void> {
  tracking.signal(index, 'SIGSTOP');
  await sleep(ms);
  tracking.signal(index, 'SIGCONT');
}

const pickIndex = ({ tracking }: Stage, random: Random): number => random.below(tracking.count);

export const consumerClasses: readonly FaultClass[] = [
  {
    ...aboutConsumers,
    name: 'a consumer killed',
    weight: 8,
    inject: (stage, random) => stage.tracking.replace(pickIndex(stage, random)),
  },
  {
    ...aboutConsumers,
    name: 'a consumer killed at a crash point',
    weight: 3,
    inject: (stage, random) => {
      const point = `${random.pick(crashPoints)}:${1 + random.below(6)}`;
      return stage.tracking.replaceByDoomed(pickIndex(stage, random), point, doomedMs);
    },
  },
  {
    ...aboutConsumers,
    name: 'all consumers killed',
    weight: 2,
    inject: async ({ tracking }) => {
      await Promise.all(Array.from({ length: tracking.count }, (_, index) => tracking.replace(index)));
    },
  },
  {
    ...aboutConsumers,
    name: 'a consumer paused',
    weight: 10,
    inject: (stage, random) => pause(stage, pickIndex(stage, random), random.between(200, 2_000)),
  },
  {
    ...aboutConsumers,
    name: 'a consumer paused beyond its session',
    weight: 1,
    maxCount: 12,
    inject: (stage, random) => pause(stage, pickIndex(stage, random), random.between(7_000, 9_000)),
  },
  {
    ...aboutConsumers,
    name: 'rebalances',
    weight: 3,
    inject: async ({ tracking }, random) => {
      await tracking.add();
      await sleep(random.between(100, 1_500));
      await tracking.remove(random.next() < 0.3 ? 0 : undefined);
    },
  },
  {
    ...aboutConsumers,
    name: 'an older service in the group',
    weight: 1,
    maxCount: 15,
    unable: () => (olderCheckout === undefined ? 'OLDER_CHECKOUT names no built checkout' : undefined),
    inject: async (stage, random) => {
      const index = pickIndex(stage, random);
      await stage.tracking.replace(
        index,
        olderCheckout === undefined ? {} : { checkout: olderCheckout },
        random.next() < 0.5 ? 0 : 20_000,
      );
      await sleep(random.between(1_000, 3_000));
      await stage.tracking.replace(index, {}, random.next() < 0.5 ? 0 : 20_000);
    },
  },
];
