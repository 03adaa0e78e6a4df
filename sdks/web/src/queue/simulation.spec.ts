import { summarizeBooks, Simulation } from '@sluice/sdk-contract';
import { expect, it } from 'vitest';
import { type Stores, WebDevice } from './web-device.spec-support.js';

const first = Number(process.env['SEED'] ?? 1);
const schedules = Number(process.env['SCHEDULES'] ?? 20);

it.each<Stores>(['both', 'localStorage', 'IndexedDB'])(
  `in ${schedules} random lives of a browser with two sources and two hosts, the books of each source agree: %s`,
  async (stores) => {
    for (let seed = first; seed < first + schedules; seed++) {
      const outcome = await new Simulation(seed, new WebDevice(stores), 'device').run(60);
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
