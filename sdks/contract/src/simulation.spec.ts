import { expect, it } from 'vitest';
import { Simulation } from './simulation.js';

const first = Number(process.env['SEED'] ?? 1);
const schedules = Number(process.env['SCHEDULES'] ?? 300);

it(`in ${schedules} random lives of a device, every loss is reported and nothing is doubled`, async () => {
  let faults = 0;
  for (let seed = first; seed < first + schedules; seed++) {
    const outcome = await new Simulation(seed).run(60);
    const { doubled, lost, reported, left } = outcome;
    expect({ seed, doubled, isExplained: lost.length <= reported, left }, JSON.stringify(outcome)).toEqual({
      seed,
      doubled: [],
      isExplained: true,
      left: 0,
    });
    faults += outcome.faults;
  }
  expect(faults).toBeGreaterThan(schedules * 5);
}, 120_000);
