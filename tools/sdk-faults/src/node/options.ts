import { parseArgs } from 'node:util';
import { type Mutant, mutants } from '@sluice/sdk-contract';
import { countOf, timeOf } from '../run/options.js';

export interface NodeRunOptions {
  /** Ends the run as soon as there were so many. */
  readonly faults: number;
  readonly durationMs: number;
  /** Directories, each of which up to four processes share. */
  readonly devices: number;
  readonly seed: number;
  /** Fault that all clients are given, and that the run must find. */
  readonly mutant: Mutant | undefined;
}

export const usage = `npm run test:sdk-faults -- node [--faults 10000] [--duration 1h] [--devices 5] [--seed 1] [--mutant 'drops half']

  --faults    ends as soon as there were so many
  --duration  how long processes meet faults, at most: 30s, 10m, 2h; the report says if it ended the run
  --devices   directories, each of which up to four processes share
  --seed      chooses what they do and meet; the order in time is the machine's
  --mutant    gives all clients a fault, and succeeds if the run finds it: ${mutants.join(', ')}`;

/** @throws Error that says what is wrong with the arguments. */
export function readNodeOptions(args: readonly string[]): NodeRunOptions {
  const text = { type: 'string' } as const;
  const { faults, duration, devices, seed, mutant } = parseArgs({
    args: [...args],
    options: {
      faults: { ...text, default: '10000' },
      duration: { ...text, default: '1h' },
      devices: { ...text, default: '5' },
      seed: { ...text, default: '1' },
      mutant: text,
    },
  }).values;
  return {
    faults: countOf('--faults', faults),
    durationMs: timeOf(duration),
    devices: countOf('--devices', devices),
    seed: countOf('--seed', seed),
    mutant: mutantOf(mutant),
  };
}

function mutantOf(name: string | undefined): Mutant | undefined {
  const mutant = mutants.find((one) => one === name);
  if (name !== undefined && !mutant) throw new Error(`--mutant ${name} is none of: ${mutants.join(', ')}`);
  return mutant;
}
