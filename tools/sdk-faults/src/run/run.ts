import { setTimeout as sleep } from 'node:timers/promises';
import { faults } from '../proxy/fault.js';
import { FaultProxy } from '../proxy/fault-proxy.js';
import { type FaultShares, faultsBySeed } from '../proxy/faults-by-seed.js';
import { Fleet } from './fleet.js';
import { type Options } from './options.js';
import { isLarge, Outages } from './outages.js';
import { type Outcome, unmetOf } from './report.js';
import { type Stack } from './stack.js';
import { settled } from './settled.js';
import { readStored } from './stored.js';

/** A minute of the clients is a second; the half a minute in which they expect an answer is half a second. */
const speed = 60;
/** Longer than any client waits between two tries, several times. */
const calmMs = 300_000;
const maxOutageMs = 10_000;
const pollMs = 1_000;

/** Weights of the kinds, by a hundred requests; a third of the requests meet no fault. */
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

/** Devices meet faults; then all works, what waits is sent, and the rows are counted. */
export async function run(options: Options, stack: Stack): Promise<Outcome> {
  const counts = new Map<string, number>();
  let total = 0;
  const count = (name: string): void => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    total++;
  };
  const proxy = await FaultProxy.start(stack.gateway.url);
  try {
    const { devices, seed, mutant } = options;
    const credentials = stack.source;
    const fleet = new Fleet({ host: proxy.url, credentials, devices, seed, speed, mutant, count });
    const outages = new Outages(fleet.random, count);
    const atAll = faultsBySeed(seed, shares, count);
    const atLarge = faultsBySeed(seed + 1, { ...shares, tooLarge: 2, foreignTooLarge: 2 }, count);
    proxy.choose = (request) => outages.faultOf(request) ?? (isLarge(request) ? atLarge() : atAll());
    const until = performance.now() + options.durationMs;
    const isOver = (): boolean =>
      performance.now() > until || (total >= options.faults && unmetOf(counts).length === 0);
    await Promise.all([fleet.live(isOver), outages.come(isOver, maxOutageMs)]);

    const waiting = await calm(proxy, fleet);
    const where = {
      ...stack.clickhouse,
      source: credentials.sourceIdentifier,
      devicePrefix: fleet.devicePrefix,
    };
    const reported = [...fleet.reports.values()].reduce((sum, one) => sum + one, 0);
    const stored = await settled(() => readStored(where, fleet.streams), {
      count: ({ messages }) => messages,
      // Rows also arrive between the questions that are asked for one count.
      isWhole: ({ messages, missing, missingAtRisk }) =>
        missing <= reported && messages + missing + missingAtRisk === fleet.taken,
    });
    return { faults: counts, taken: fleet.taken, streams: fleet.streams.size, reported, waiting, stored };
  } finally {
    await proxy.stop();
  }
}

/** The number of devices that could not send all they had. */
async function calm(proxy: FaultProxy, fleet: Fleet): Promise<number> {
  proxy.choose = () => faults.none;
  fleet.calmDown();
  const until = performance.now() + calmMs;
  let waiting = fleet.drain();
  while (waiting > 0 && performance.now() < until) {
    await sleep(pollMs);
    waiting = fleet.drain();
  }
  return waiting;
}
