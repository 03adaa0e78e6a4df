import { readFile } from 'node:fs/promises';

const ticksPerSecond = 100;

/** The CPU that a process has used so far, in seconds: proc(5), utime and stime of stat. Linux only. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program stands in brackets and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
