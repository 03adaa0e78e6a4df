import { parseArgs } from 'node:util';
import { type Mutant } from './page-transport.js';

export interface Options {
  readonly durationMs: number;
  /** Ends the run as soon as there were so many. */
  readonly faults: number;
  readonly devices: number;
  readonly seed: number;
  readonly mutant: Mutant | undefined;
}

export const usage = `npm run test:sdk-faults -- [--duration 10m] [--faults 10000] [--devices 40] [--seed 1] [--mutant new-key]

  --duration  how long clients meet faults, at most: 30s, 10m, 2h
  --faults    ends as soon as there were so many
  --devices   devices that live at the same time
  --seed      chooses what they do and meet; the order in time is the machine's
  --mutant    a client that is wrong on purpose; the run must fail`;

/** @throws Error that says what is wrong with the arguments. */
export function readOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const { duration, faults, devices, seed, mutant } = parseArgs({
    args: [...args],
    options: {
      duration: { ...text, default: '10m' },
      faults: { ...text, default: '1000000' },
      devices: { ...text, default: '40' },
      seed: { ...text, default: '1' },
      mutant: text,
    },
  }).values;
  if (mutant !== undefined && mutant !== 'new-key') throw new Error(`--mutant can be new-key; it is '${mutant}'`);
  return {
    durationMs: timeOf(duration),
    faults: countOf('--faults', faults),
    devices: countOf('--devices', devices),
    seed: countOf('--seed', seed),
    mutant,
  };
}

export function countOf(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error(`${option} must be a whole number from 1; it is '${text}'`);
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

export function timeOf(text: string): number {
  const [, amount, unit] = /^([1-9]\d{0,4})([smh])$/.exec(text) ?? [];
  if (unit === undefined) throw new Error(`--duration must be a time like 30s, 10m or 2h; it is '${text}'`);
  return Number(amount) * unitMs[unit as keyof typeof unitMs];
}
