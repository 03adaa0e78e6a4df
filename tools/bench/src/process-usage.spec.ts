import { describe, expect, it } from 'vitest';
import { cpuSeconds, memoryMb, parseCpuSeconds, parseMemory } from './process-usage.js';

const makeStat = (name: string): string =>
  `4242 (${name}) S 1 4242 4242 0 -1 4194304 9000 0 12 0 1234 66 7 8 20 0 11 0 5000 1000000 2000 18446744073709551615`;

describe('parseCpuSeconds', () => {
  it('adds user and system time of the process, without its children', () =>
    expect(parseCpuSeconds(makeStat('node'))).toBe(13));

  it('reads a process whose name contains blanks, digits and parentheses', () =>
    expect(parseCpuSeconds(makeStat('a (b) 1 2 3) x'))).toBe(13));
});

describe('parseMemory', () =>
  it('reads resident memory and its peak in MiB', () => {
    const status = 'Name:\tnode\nVmPeak:\t 9999 kB\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\nThreads:\t11\n';
    expect(parseMemory(status)).toEqual({ resident: 100, peak: 200 });
  }));

describe.runIf(process.platform === 'linux')('this process', () =>
  it('has used CPU and memory', () => {
    const before = cpuSeconds(process.pid);
    expect(before).toBeGreaterThan(0);
    expect(cpuSeconds(process.pid)).toBeGreaterThanOrEqual(before);
    const { resident, peak } = memoryMb(process.pid);
    expect(resident).toBeGreaterThan(10);
    expect(peak).toBeGreaterThanOrEqual(resident * 0.9);
  }),
);
