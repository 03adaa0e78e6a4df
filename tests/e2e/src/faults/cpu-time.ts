import { readFile } from 'node:fs/promises';

const ticksPerSecond = 100;

/** CPU time that a process has used so far, in seconds: utime and stime of stat, see proc(5). Linux only. */
export async function processCpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The program's name is in parentheses and can contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
