import { parseArgs } from 'node:util';
import { countOf } from '../run/options.js';
import { defaultTailMs } from './life.js';

/** SDKs that are wrong on purpose (Mutant.kt); the run must fail with each. */
export const mutants = ['half', 'late', 'new-key', 'forget'] as const;

export type Mutant = (typeof mutants)[number];

export interface KotlinOptions {
  /** Ends the run when so many processes were killed. */
  readonly kills: number;
  /** Folders in which processes live and die at the same time. */
  readonly devices: number;
  readonly seed: number;
  /** Milliseconds before a kill whose calls it may take. */
  readonly tailMs: number;
  readonly mutant: Mutant | undefined;
}

export const usage = `npm run test:sdk-faults -- kotlin [--kills 5000] [--devices 3] [--seed 1] [--tail ${defaultTailMs}] [--mutant half]

  --kills    processes that are killed with SIGKILL
  --devices  devices that live at the same time, with one or two processes each
  --seed     chooses what they do and meet; the order in time is the machine's
  --tail     milliseconds before a kill whose calls it may take
  --mutant   an SDK that is wrong on purpose (${mutants.join(', ')}); the run must fail`;

/** @throws Error that says what is wrong with the arguments. */
export function readKotlinOptions(args: readonly string[]): KotlinOptions {
  const text = { type: 'string' } as const;
  const { kills, devices, seed, tail, mutant } = parseArgs({
    args: [...args],
    options: {
      kills: { ...text, default: '5000' },
      devices: { ...text, default: '3' },
      seed: { ...text, default: '1' },
      tail: { ...text, default: String(defaultTailMs) },
      mutant: text,
    },
  }).values;
  const known = mutants.find((one) => one === mutant);
  if (mutant !== known) throw new Error(`--mutant can be ${mutants.join(' or ')}; it is '${mutant ?? ''}'`);
  return {
    kills: countOf('--kills', kills),
    devices: countOf('--devices', devices),
    seed: countOf('--seed', seed),
    tailMs: countOf('--tail', tail),
    mutant: known,
  };
}
