/** A call that took a message, and when, in milliseconds of the machine's clock. */
export interface TakenCall {
  readonly number: number;
  readonly at: number;
}

/** Fate of the calls of one process. */
export interface LifeOutcome {
  /** Messages that are nowhere, although they were written, or a later one of the same process was. */
  readonly lost: number;
  /** Messages that are nowhere, although the process had longer than the tail to write them. */
  readonly late: number;
  /** Messages that the kill took: the last ones of the process, none of which was written. */
  readonly tail: number;
  /** Age of the oldest message of the tail at the kill. */
  readonly tailMs: number;
  /** Messages that were written or stored, although the process was killed before it reported them. */
  readonly unsaid: number;
}

/** Messages of one process that are known to be stored or on its disk. */
export interface KnownNumbers {
  /** Numbers that the service has stored. */
  readonly stored: ReadonlySet<number>;
  /** Numbers that a reader found in the files. */
  readonly onDisk: ReadonlySet<number>;
}

/** The calls of one process, in their order, until it was killed. */
export class ProcessLife {
  readonly taken: TakenCall[] = [];
  /** Numbers that the process reported as written. */
  readonly written = new Set<number>();
  killedAt = Infinity;

  /** @param tailMs age up to which unwritten calls may be lost */
  outcome({ stored, onDisk }: KnownNumbers, tailMs: number): LifeOutcome {
    const takenNumbers = new Set(this.taken.map(({ number }) => number));
    const keptNumbers = new Set([...this.written, ...onDisk, ...stored]);
    const unsaid = [...keptNumbers].filter((number) => !takenNumbers.has(number));
    const end = this.taken.findLastIndex(({ number }) => keptNumbers.has(number)) + 1;
    const missing = this.taken.slice(0, end).filter(({ number }) => !stored.has(number));
    const unwritten = this.taken.slice(end);
    const late = unwritten.filter(({ at }) => this.killedAt - at > tailMs).length;
    return {
      lost: missing.length + unsaid.filter((number) => !stored.has(number)).length,
      late,
      tail: unwritten.length - late,
      tailMs: unwritten.length > late ? Math.max(0, this.killedAt - (unwritten[late]?.at ?? this.killedAt)) : 0,
      unsaid: unsaid.length,
    };
  }
}

/** Numbers that are missing in a stream below its last one. */
export function gapsIn(streams: ReadonlyMap<string, ReadonlySet<number>>): number {
  return [...streams.values()].reduce((sum, seqs) => sum + Math.max(...seqs) + 1 - seqs.size, 0);
}
