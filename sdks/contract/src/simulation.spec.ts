import { expect, it } from 'vitest';
import { summarizeBooks, Simulation } from './simulation.js';

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

it(`in ${schedules} random lives of a device with two sources and two hosts, the books of each source agree`, async () => {
  for (let seed = first; seed < first + schedules; seed++) {
    const outcome = await new Simulation(seed, undefined, 'device').run(60);
    expect({ seed, ...summarizeBooks(outcome) }, JSON.stringify(outcome.sources)).toEqual({
      seed,
      doubled: [],
      agree: [true, true],
      left: 0,
    });
  }
}, 120_000);
