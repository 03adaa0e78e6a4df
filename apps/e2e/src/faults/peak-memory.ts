import { readFile, writeFile } from 'node:fs/promises';

/** The most that is resident from here on is measured anew: proc(5), clear_refs. Linux only. */
export const forgetPeak = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, '5');

/** The most that was resident since then, in MiB. */
export async function peakMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
}
