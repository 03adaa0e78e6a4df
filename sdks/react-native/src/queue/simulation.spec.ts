import { summarizeBooks, Simulation } from '@sluice/sdk-contract';
import { expect, it } from 'vitest';
import { FakeStorage, SlowStorage } from './fake-storages.spec-support.js';
import { KvDevice } from './kv-device.spec-support.js';

const first = Number(process.env['SEED'] ?? 1);
const schedules = Number(process.env['SCHEDULES'] ?? 20);

const storages: readonly [name: string, make: (seed: number) => FakeStorage][] = [
  ['synchronous', () => new FakeStorage()],
  ['asynchronous, slow, in any order', (seed) => new SlowStorage(seed)],
];

it.each(storages)(
  `in ${schedules} random lives of a phone with two sources and two hosts, the books of each source agree: %s`,
  async (_, make) => {
    for (let seed = first; seed < first + schedules; seed++) {
      const outcome = await new Simulation(seed, new KvDevice(make(seed)), 'app').run(60);
      expect({ seed, ...summarizeBooks(outcome) }, JSON.stringify(outcome.sources)).toEqual({
        seed,
        doubled: [],
        agree: [true, true],
        left: 0,
      });
    }
  },
  300_000,
);
