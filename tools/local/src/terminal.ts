import { performance } from 'node:perf_hooks';

/** Writes plain lines that begin with the seconds since the start: the same in a terminal, a file and CI. */
export class Terminal {
  private readonly startedAt = performance.now();

  constructor(private readonly write: (text: string) => void) {}

  line(text: string): void {
    const seconds = (performance.now() - this.startedAt) / 1_000;
    this.write(`${seconds.toFixed(1).padStart(6)} s  ${text}\n`);
  }

  block(text: string): void {
    this.write(`${text}\n`);
  }
}
