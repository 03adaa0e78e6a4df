import { type Counts, sumOf } from './kinds.js';

/** Reads the options of a command; if they are wrong, says why, shows the usage and exits with 2. */
export function optionsOrExit<T>(read: () => T, usage: string): T {
  try {
    return read();
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

/** Prints the outcome of a run, and what is to be said of it. Returns the exit code. */
export function reported(outcome: string, isGood: boolean, remark = ''): number {
  console.log(`\n${outcome}\n`);
  if (remark) console.log(remark);
  console.log(
    isGood ? 'Every message is stored once, or was reported.' : 'FAILED: see lost, doubled and waiting above.',
  );
  return isGood ? 0 : 1;
}

/** A sentence if `--duration` ended the run before it had its faults. */
export function endedEarly(faults: Counts, wanted: number): string {
  const met = sumOf(faults);
  if (met >= wanted) return '';
  return `--duration ended the run early, after ${met.toLocaleString('en')} of ${wanted.toLocaleString('en')} faults.`;
}
