import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from '@sluice/sdk-contract';
import { type Fault, faults } from '../proxy/fault.js';
import { type FaultShares, faultsBySeed } from '../proxy/faults-by-seed.js';
import { type Visitor } from './visitor.js';

/** Trouble that a visitor has. When it ends, everything works again. */
export interface Scenario {
  readonly name: string;
  readonly trouble: (visitor: Visitor, seed: number) => Promise<void>;
}

const [second, minute] = [1_000, 60_000];
const [hour, day] = [60 * minute, 1_440 * minute];
/** Factor by which the pages' time passes faster by default. */
const defaultSpeed = 10;

/** Percentage of requests that meet each fault. */
const answerLost: FaultShares = { cutAfter: 15, resetAfter: 10, cutMidAnswer: 5, gatewayTimeout: 10 };
const requestLost: FaultShares = { cutBefore: 10, cutMidRequest: 10, resetBefore: 15, badGateway: 5 };
const mixed: FaultShares = {
  cutBefore: 5,
  cutMidRequest: 5,
  cutAfter: 10,
  cutMidAnswer: 5,
  resetBefore: 5,
  resetAfter: 7,
  silence: 3,
  silenceAfter: 4,
  delay: 5,
  rateLimited: 5,
  unavailable: 5,
  portalRedirect: 2,
  badGateway: 2,
  gatewayTimeout: 4,
};

const bySeed = (name: string, shares: FaultShares, ms: number): Scenario => ({
  name,
  trouble: async (visitor, seed) => {
    await visitor.setClock({ speed: defaultSpeed });
    visitor.choose = faultsBySeed(seed, shares, () => undefined);
    await visitor.live(ms);
  },
});

/** Every request meets the fault. About a hundred events are tracked during it, and some before. */
const outage = (name: string, ms: number, fault: Fault, speed = defaultSpeed): Scenario => ({
  name,
  trouble: async (visitor) => {
    await visitor.setClock({ speed: defaultSpeed });
    await visitor.live(10 * second);
    visitor.choose = () => fault;
    await visitor.setClock({ speed });
    await visitor.live(ms, Math.max(500, ms / 100));
  },
});

const unavailable = faults.unavailable(5);

const offline: Scenario = {
  name: 'offline 1 min, 3 times',
  trouble: async (visitor) => {
    await visitor.setClock({ speed: defaultSpeed });
    for (let time = 0; time < 3; time++) {
      // Answers are slow, so that requests are under way when the connection ends.
      visitor.choose = () => faults.delay(100);
      await visitor.live(10 * second, 500);
      await visitor.setOffline(true);
      await visitor.live(minute);
      await visitor.setOffline(false);
    }
  },
};

/** A tab is killed up to 50 ms after `track` has returned. */
const killed = (name: string, fault: Fault): Scenario => ({
  name,
  trouble: async (visitor, seed) => {
    const random = seeded(seed);
    visitor.choose = () => fault;
    for (let time = 0; time < 20; time++) {
      for (let event = 0; event < 5; event++) await visitor.track();
      await sleep(random() * 50);
      await visitor.killAll();
      await visitor.open();
    }
  },
});

const reloads: Scenario = {
  name: 'reloaded 20 times, 503',
  trouble: async (visitor, seed) => {
    const random = seeded(seed);
    visitor.choose = () => unavailable;
    for (let time = 0; time < 20; time++) {
      for (let event = 0; event < 5; event++) await visitor.track();
      await sleep(random() * 50);
      await visitor.reload();
    }
  },
};

const eightTabs: Scenario = {
  name: 'eight tabs, 503 1 min, then closed',
  trouble: async (visitor) => {
    for (let tab = 1; tab < 8; tab++) await visitor.open();
    await visitor.setClock({ speed: defaultSpeed });
    visitor.choose = () => unavailable;
    await visitor.live(minute, 4 * second);
    await visitor.comeBack();
  },
};

const storageFull: Scenario = {
  name: 'storage full, 503 1 min',
  trouble: async (visitor) => {
    await visitor.setClock({ speed: defaultSpeed });
    await visitor.live(10 * second);
    await visitor.fillStorage();
    visitor.choose = () => unavailable;
    await visitor.live(minute);
  },
};

const clockSet: Scenario = {
  name: 'clock set by a day, twice, mixed faults',
  trouble: async (visitor, seed) => {
    await visitor.setClock({ speed: defaultSpeed });
    visitor.choose = faultsBySeed(seed, mixed, () => undefined);
    await visitor.live(minute);
    await visitor.setClock({ skewMs: -day });
    await visitor.live(minute);
    await visitor.setClock({ skewMs: 2 * day });
    await visitor.live(minute);
  },
};

/** Outages of growing length, by that length. */
const outages = {
  '1 min': outage('503 for 1 min', minute, unavailable),
  '10 min': outage('503 for 10 min', 10 * minute, unavailable, 30),
  '1 h': outage('503 for 1 h', hour, unavailable, 60),
  '1 day': outage('503 for 1 day', day, unavailable, 480),
};

/** The longest outage without a loss, given which scenarios had none. */
export function survivedOutage(isWhole: (scenario: string) => boolean): string {
  const lengths = Object.entries(outages);
  const failed = lengths.findIndex(([, { name }]) => !isWhole(name));
  return lengths[(failed < 0 ? lengths.length : failed) - 1]?.[0] ?? 'none';
}

export const scenarios: readonly Scenario[] = [
  bySeed('answers lost', answerLost, 3 * minute),
  bySeed('requests lost', requestLost, 3 * minute),
  bySeed('mixed faults', mixed, 5 * minute),
  ...Object.values(outages),
  outage('no connection for 10 min', 10 * minute, faults.resetBefore, 30),
  outage('429, Retry-After 60 s, for 1 min', minute, faults.rateLimited(60)),
  outage('401 for 1 min', minute, faults.unauthorized),
  outage('silence for 2 min', 2 * minute, faults.silenceAfter),
  offline,
  killed('tab killed 20 times', faults.none),
  killed('tab killed 20 times, 503', unavailable),
  reloads,
  eightTabs,
  storageFull,
  clockSet,
];
