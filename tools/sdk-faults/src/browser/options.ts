import { parseArgs } from 'node:util';
import { countOf, timeOf } from '../run/options.js';

export interface BrowserOptions {
  /** Ends the run as soon as there were so many. */
  readonly faults: number;
  readonly durationMs: number;
  /** Browsers that live at the same time. */
  readonly devices: number;
  readonly seed: number;
}

export const usage = `npm run test:sdk-faults -- browser [--faults 1000] [--duration 20m] [--devices 2] [--seed 1]

  --faults    ends as soon as there were so many
  --duration  how long pages meet faults, at most: 30s, 10m, 2h
  --devices   browsers that live at the same time, with up to eight tabs each
  --seed      chooses what they do and meet; the order in time is the machine's`;

/** @throws Error that says what is wrong with the arguments. */
export function readBrowserOptions(args: readonly string[]): BrowserOptions {
  const text = { type: 'string' } as const;
  const { faults, duration, devices, seed } = parseArgs({
    args: [...args],
    options: {
      faults: { ...text, default: '1000' },
      duration: { ...text, default: '20m' },
      devices: { ...text, default: '2' },
      seed: { ...text, default: '1' },
    },
  }).values;
  return {
    faults: countOf('--faults', faults),
    durationMs: timeOf(duration),
    devices: countOf('--devices', devices),
    seed: countOf('--seed', seed),
  };
}
