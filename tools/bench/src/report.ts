/** One line of the table. */
export interface Figure {
  /** What was measured together: `track, 32 connections`. */
  readonly group: string;
  readonly measure: string;
  readonly unit: string;
  readonly sluice: number;
  /** The same of the floor, where there is one. */
  readonly floor?: number;
  /** Sluice to floor; not always the quotient of the two, see the part. */
  readonly ratio?: number;
  /** The least and the greatest ratio of the rounds: what of the ratio is noise. */
  readonly ratios?: readonly [least: number, greatest: number];
}

/** What a part of the bench found out. */
export interface BenchReport {
  readonly figures: readonly Figure[];
  /** What must not happen and did; one is enough to make the bench fail. */
  readonly failures: readonly string[];
}
