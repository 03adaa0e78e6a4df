import { type FaultShares, faultsBySeed } from '../proxy/faults-by-seed.js';
import { faultRun } from '../run/fault-run.js';
import { type Around, type Clients, type Platform } from '../run/platform.js';
import { TabFleet } from './fleet.js';
import { isLarge, Outages } from './outages.js';
import { transportMutants } from './page-transport.js';
import { readStreams } from './stored.js';

/** A minute of the clients is a second; the half a minute in which they expect an answer is half a second. */
const speed = 60;
const maxOutageMs = 10_000;

/** Percentage of requests that meet each fault; a third of the requests meet none. */
const shares: FaultShares = {
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
  portal: 2,
  portalRedirect: 2,
  badGateway: 2,
  gatewayTimeout: 4,
};

/** Simulated clients of sdks/core, whose tabs share a store in memory. */
export const core: Platform = {
  command: {
    name: '',
    limit: 'faults',
    defaults: { limit: 1_000_000, duration: '10m', devices: 40 },
    devices: 'devices that live at the same time, with up to eight clients each',
    mutants: transportMutants,
  },
  notDrawn: ['browser killed'],
  words: { clients: 'clients', waiting: 'devices', lost: { memory: 'only in the memory of a killed client' } },
  start: (around) => Promise.resolve(makeClients(new TabFleet(around, speed))),
  injectServiceFaults,
  readRows: readStreams,
};

export const coreRun = faultRun(core);

const makeClients = (fleet: TabFleet): Clients => ({
  live: (isOver) => fleet.live(isOver),
  calmDown: () => Promise.resolve().then(() => fleet.calmDown()),
  waiting: () => fleet.drain(),
  waitingInWords: () => [],
  stop: () => Promise.resolve(),
});

/** A batch that is large for a proxy is refused for its size now and then. Outages come in turn, one of them for an hour. */
async function injectServiceFaults(around: Around, isOver: () => boolean): Promise<void> {
  const { proxy, fault, options, random } = around;
  const outages = new Outages(random, fault);
  const atAll = faultsBySeed(options.seed, shares, fault);
  const atLarge = faultsBySeed(options.seed + 1, { ...shares, tooLarge: 2, foreignTooLarge: 2 }, fault);
  proxy.choose = (request) => outages.chooseFault(request) ?? (isLarge(request) ? atLarge() : atAll());
  await outages.come(isOver, maxOutageMs);
}
