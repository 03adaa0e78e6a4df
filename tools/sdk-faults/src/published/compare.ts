import { createHash } from 'node:crypto';
import { type Browser } from 'playwright-core';
import { faults } from '../proxy/fault.js';
import { type Scenario } from './scenarios.js';
import { type Sdk } from './sdk.js';
import { type Site } from './site.js';
import { Visitor } from './visitor.js';

/** The outcome of one SDK's events in one scenario. */
export interface Result {
  readonly sdk: string;
  readonly scenario: string;
  readonly tracked: number;
  readonly lost: number;
  /** Ids beyond the first of each event: the vendor stores the event once for each id. */
  readonly doubled: number;
  /** Deliveries of events that had arrived before. */
  readonly repeated: number;
  readonly faults: number;
  /** Requests that the stub could not read, and errors of the pages. */
  readonly problems: readonly string[];
}

const minute = 60_000;
/** Time of the page after the trouble, and once more after it was left and opened again. */
const maxCalm = 5 * minute;

export async function meet(
  browser: Browser,
  site: Site,
  { sdk, scenario, seed }: { sdk: Sdk; scenario: Scenario; seed: number },
): Promise<Result> {
  const visitor = await Visitor.arrive(browser, site, sdk, encodeURIComponent(`${sdk.name} ${scenario.name}`));
  try {
    await visitor.open();
    await scenario.trouble(visitor, seedOf(seed, scenario.name));
    visitor.choose = () => faults.none;
    await visitor.setClock({ speed: 10 });
    await calm(visitor);
    await visitor.comeBack();
    // Tracks once more, as a page tracks its view: some SDKs send what they kept only with the next event.
    await visitor.track();
    await calm(visitor);
    return resultOf(visitor, scenario);
  } finally {
    await visitor.leave();
  }
}

/** Waits until all has arrived, and a minute longer for repeats; at most `maxCalm`. */
async function calm(visitor: Visitor): Promise<void> {
  for (let waited = 0; waited < maxCalm; waited += minute) {
    const isWhole = visitor.missing === 0;
    await visitor.wait(minute);
    if (isWhole) return;
  }
}

function resultOf({ sdk, stub, tracked, missing, errors, faults: met }: Visitor, scenario: Scenario): Result {
  const arrived = [...stub.deliveries.values()];
  const all = arrived.reduce((sum, ids) => sum + [...ids.values()].reduce((one, count) => one + count, 0), 0);
  return {
    sdk: sdk.name,
    scenario: scenario.name,
    tracked: tracked.size,
    lost: missing,
    faults: met,
    doubled: arrived.reduce((sum, ids) => sum + ids.size - 1, 0),
    repeated: all - arrived.length,
    problems: [...new Set(stub.unread), ...errors],
  };
}

/** Seed of a scenario: all SDKs meet the same faults in it. */
const seedOf = (seed: number, name: string): number =>
  createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE() % 2 ** 31;
