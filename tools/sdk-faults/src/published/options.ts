import { parseArgs } from 'node:util';
import { countOf } from '../run/options.js';

export interface CompareOptions {
  readonly seed: number;
  /** Part of the names of the scenarios to run. */
  readonly only: string;
  /** Part of the names of the SDKs to run. */
  readonly sdk: string;
  /** Scenarios at a time. */
  readonly together: number;
  /** File for all results. */
  readonly json: string | undefined;
  readonly tuned: boolean;
}

export const usage = `npm run compare:sdks -- [--seed 1] [--only 'tab killed'] [--sdk segment] [--together 2] [--tuned] [--json FILE]

  --seed      chooses the faults
  --only      scenarios whose name has this text
  --sdk       SDKs whose name has this text
  --together  scenarios at a time
  --tuned     also with the options that lose fewer events
  --json      writes all results to a file`;

/** @throws Error that says what is wrong with the arguments. */
export function readCompareOptions(args: readonly string[]): CompareOptions {
  const text = { type: 'string' } as const;
  const { seed, together, only, sdk, json, tuned } = parseArgs({
    args: [...args],
    options: {
      seed: { ...text, default: '1' },
      only: { ...text, default: '' },
      sdk: { ...text, default: '' },
      together: { ...text, default: '2' },
      json: text,
      tuned: { type: 'boolean', default: false },
    },
  }).values;
  return { seed: countOf('--seed', seed), together: countOf('--together', together), only, sdk, json, tuned };
}
