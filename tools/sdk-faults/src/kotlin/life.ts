/** Ages of unwritten calls up to which they may be lost in a kill. */
export const defaultTailMs = 3_000;

/** A call that took a message, and when, in milliseconds of the machine's clock. */
export interface Taken {
  readonly number: number;
  readonly at: number;
}

/** What became of the calls of one process. */
export interface LifeOutcome {
  /** Messages that are nowhere, although they were written, or a later one of the same process was. */
  readonly lost: number;
  /** Messages that are nowhere, although the process had longer than the tail to write them. */
  readonly late: number;
  /** Messages that the kill took: the last ones of the process, none of which was written. */
  readonly tail: number;
  /** Age of the oldest message of the tail at the kill. */
  readonly tailMs: number;
}

/** The calls of one process, in their order, until it was killed. */
export class Life {
  readonly taken: Taken[] = [];
  /** Numbers that the process said to have written. */
  readonly written = new Set<number>();
  killedAt = Infinity;

  /**
   * @param isStored whether the service has a message
   * @param onDisk numbers that a reader found in the files
   * @param tailMs age up to which unwritten calls may be lost
   */
  outcome(isStored: (number: number) => boolean, onDisk: ReadonlySet<number>, tailMs: number): LifeOutcome {
    const isWritten = ({ number }: Taken): boolean =>
      this.written.has(number) || onDisk.has(number) || isStored(number);
    const end = this.taken.findLastIndex(isWritten) + 1;
    const missing = this.taken.filter(({ number }) => !isStored(number));
    const unwritten = this.taken.slice(end);
    // A written message of which the process could not say any more that it was taken.
    const untold = [...this.written].filter((number) => this.taken.every((one) => one.number !== number));
    const late = unwritten.filter(({ at }) => this.killedAt - at > tailMs).length;
    return {
      lost: missing.length - unwritten.length + untold.filter((number) => !isStored(number)).length,
      late,
      tail: unwritten.length - late,
      tailMs: unwritten.length > late ? Math.max(0, this.killedAt - (unwritten[late]?.at ?? this.killedAt)) : 0,
    };
  }
}

/** Numbers that are missing in a stream below its last one. */
export function gapsIn(streams: ReadonlyMap<string, ReadonlySet<number>>): number {
  return [...streams.values()].reduce((sum, seqs) => sum + Math.max(...seqs) + 1 - seqs.size, 0);
}
