import { readFileSync } from 'node:fs';

// proc(5) counts in clock ticks of sysconf(_SC_CLK_TCK), which Linux fixes at 100 on every platform Node runs on.
const ticksPerSecond = 100;

/** CPU time, user and system, that all threads of a process have used so far, in seconds. Linux only. */
export const cpuSeconds = (pid: number): number => parseCpuSeconds(readFileSync(`/proc/${pid}/stat`, 'utf8'));

/** Resident memory of a process, now and at its peak, in MiB. Linux only. */
export const memoryMb = (pid: number): Memory => parseMemory(readFileSync(`/proc/${pid}/status`, 'utf8'));

export interface Memory {
  readonly resident: number;
  readonly peak: number;
}

/** Parses `/proc/<pid>/stat`: utime and stime are fields 14 and 15. */
export function parseCpuSeconds(stat: string): number {
  // Field 2 is the name in parentheses. It can contain blanks and parentheses, so count fields from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[14 - 3]) + Number(fields[15 - 3])) / ticksPerSecond;
}

/** Parses `/proc/<pid>/status`: VmRSS and VmHWM are in kB. */
export function parseMemory(status: string): Memory {
  const mb = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
  return { resident: mb('VmRSS'), peak: mb('VmHWM') };
}
