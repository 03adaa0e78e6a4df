import { parseArgs } from 'node:util';
import { countOf } from '../run/options.js';

export interface KotlinOptions {
  /** Ends the run when so many processes were killed. */
  readonly kills: number;
  /** Folders in which processes live and die at the same time. */
  readonly devices: number;
  readonly seed: number;
}

export const usage = `npm run test:sdk-faults -- kotlin [--kills 5000] [--devices 3] [--seed 1]

  --kills    processes that are killed with SIGKILL
  --devices  devices that live at the same time, with one or two processes each
  --seed     chooses what they do and meet; the order in time is the machine's`;

/** @throws Error that says what is wrong with the arguments. */
export function readKotlinOptions(args: readonly string[]): KotlinOptions {
  const text = { type: 'string' } as const;
  const { kills, devices, seed } = parseArgs({
    args: [...args],
    options: {
      kills: { ...text, default: '5000' },
      devices: { ...text, default: '3' },
      seed: { ...text, default: '1' },
    },
  }).values;
  return { kills: countOf('--kills', kills), devices: countOf('--devices', devices), seed: countOf('--seed', seed) };
}
