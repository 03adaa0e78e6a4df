import { killRun } from '../kills/kill-run.js';
import { type KillPlatform } from '../kills/platform.js';
import { KotlinProgram } from './program.js';

/** Processes of the Kotlin SDK's core, whose worker writes what `track` took a moment later. */
export const kotlin: KillPlatform = {
  command: {
    name: 'kotlin',
    limit: 'kills',
    defaults: { limit: 5_000, duration: '10h', devices: 3 },
    devices: 'devices that live at the same time, with one or two processes each',
    // sdks/kotlin/core/src/test/kotlin/tech/sluice/faults/Mutant.kt
    mutants: ['half', 'late', 'new-key', 'forget'],
    tailMs: 3_000,
  },
  shares: [
    ['cut before', 8],
    ['cut after', 8],
    ['503 after storing', 4],
    [503, 4],
    [429, 4],
    ['slow', 12],
    [413, 2],
    [401, 0.2],
  ],
  isCalmDrain: false,
  killsPerDrain: 20,
  maxEvents: 200,
  quietShare: 0.1,
  build: ({ mutant }) => KotlinProgram.build(mutant),
};

export const kotlinRun = killRun(kotlin);
