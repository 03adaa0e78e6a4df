import { readFile, writeFile } from 'node:fs/promises';

/** Resets the peak of resident memory (clear_refs, see proc(5)). Linux only. */
export const forgetPeak = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, '5');

/** Peak of resident memory since the last reset, in MiB. */
export async function peakMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
}
