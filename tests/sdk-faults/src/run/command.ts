import { type FaultCommand, type FaultRunOptions } from './options.js';

/** Texts that a run prints at its end. */
export interface RunReport {
  readonly table: string;
  readonly isGood: boolean;
  /** Sentences below the table. */
  readonly remarks: readonly string[];
}

/** A run that the command line can start. */
export interface CommandRun {
  readonly command: FaultCommand;
  report(options: FaultRunOptions): Promise<RunReport>;
}

/** Reads the options of a command; if they are wrong, says why, shows the usage and exits with 2. */
export function optionsOrExit<T>(read: () => T, usage: string): T {
  try {
    return read();
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

/** Prints a report. Returns the exit code: 1 for a run that failed, as one with a mutant must. */
export function printed({ table, isGood, remarks }: RunReport, { mutant }: Pick<FaultRunOptions, 'mutant'>): number {
  console.log(`\n${table}\n`);
  for (const remark of remarks) if (remark) console.log(remark);
  if (mutant !== undefined) console.log(`The mutant '${mutant}' ${isGood ? 'PASSED.' : 'was found.'}`);
  return isGood ? 0 : 1;
}

/** A sentence if `--duration` ended the run before its limit. */
export function endedEarly(
  reached: number,
  { limit }: Pick<FaultRunOptions, 'limit'>,
  unit: FaultCommand['limit'],
): string {
  if (reached >= limit) return '';
  return `--duration ended the run early, after ${reached.toLocaleString('en')} of ${limit.toLocaleString('en')} ${unit}.`;
}
