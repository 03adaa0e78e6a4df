import { summarizeBooks, Simulation } from '@sluice/sdk-contract';
import { expect, it } from 'vitest';
import { DirectoryDevice } from './directory-device.spec-support.js';

const first = Number(process.env['SEED'] ?? 1);
const schedules = Number(process.env['SCHEDULES'] ?? 60);

it(`in ${schedules} random lives of a directory, every loss is reported and nothing is doubled`, async () => {
  let faults = 0;
  for (let seed = first; seed < first + schedules; seed++) {
    const device = new DirectoryDevice();
    const outcome = await new Simulation(seed, device).run(60);
    device.remove();
    const { doubled, lost, reported, left } = outcome;
    expect({ seed, doubled, isExplained: lost.length <= reported, left }, JSON.stringify(outcome)).toEqual({
      seed,
      doubled: [],
      isExplained: true,
      left: 0,
    });
    faults += outcome.faults;
  }
  expect(faults).toBeGreaterThan(schedules * 10);
}, 300_000);

it(`in ${schedules} random lives of a directory with two sources and two hosts, the books of each source agree`, async () => {
  for (let seed = first; seed < first + schedules; seed++) {
    const device = new DirectoryDevice();
    const outcome = await new Simulation(seed, device, 'device').run(60);
    device.remove();
    expect({ seed, ...summarizeBooks(outcome) }, JSON.stringify(outcome.sources)).toEqual({
      seed,
      doubled: [],
      agree: [true, true],
      left: 0,
    });
  }
}, 300_000);
