import { parseArgs } from 'node:util';
import { countOf, timeOf } from '../run/options.js';
import { type Mutant, mutants } from './life.js';

export interface AppOptions {
  /** Ends the run as soon as there were so many. */
  readonly faults: number;
  readonly durationMs: number;
  /** Phones that live at the same time. */
  readonly devices: number;
  readonly seed: number;
  readonly mutant: Mutant | undefined;
}

export const usage = `npm run test:sdk-faults -- react-native [--faults 2000] [--duration 1h] [--devices 4] [--seed 1] [--mutant new-key]

  --faults    ends as soon as there were so many
  --duration  how long apps meet faults, at most: 30s, 10m, 2h; the report says if it ended the run
  --devices   phones that live at the same time; every other one has an asynchronous store
  --seed      chooses what they do and meet; the order in time is the machine's
  --mutant    an app that is wrong on purpose (${mutants.join(', ')}); the run must fail`;

/** @throws Error that says what is wrong with the arguments. */
export function readAppOptions(args: readonly string[]): AppOptions {
  const text = { type: 'string' } as const;
  const { faults, duration, devices, seed, mutant } = parseArgs({
    args: [...args],
    options: {
      faults: { ...text, default: '2000' },
      duration: { ...text, default: '1h' },
      devices: { ...text, default: '4' },
      seed: { ...text, default: '1' },
      mutant: text,
    },
  }).values;
  const known = mutants.find((one) => one === mutant);
  if (mutant !== known) throw new Error(`--mutant can be ${mutants.join(' or ')}; it is '${mutant ?? ''}'`);
  return {
    faults: countOf('--faults', faults),
    durationMs: timeOf(duration),
    devices: countOf('--devices', devices),
    seed: countOf('--seed', seed),
    mutant: known,
  };
}
