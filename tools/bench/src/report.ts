/** One line of the table. */
export interface BenchFigure {
  /** Heading of figures that were measured together: `track, 32 connections`. */
  readonly group: string;
  readonly measure: string;
  readonly unit: string;
  readonly sluice: number;
  /** The same measure of the floor, if there is a floor. */
  readonly floor?: number;
  /** Ratio of Sluice to floor. It can be a median of ratios (sideBySide) instead of the quotient of the two figures. */
  readonly ratio?: number;
  /** Least and greatest ratio of the rounds; their distance shows the noise. */
  readonly ratios?: readonly [least: number, greatest: number];
}

/** Results of one part of the bench. */
export interface BenchReport {
  readonly figures: readonly BenchFigure[];
  /** Violated guarantees; a single one makes the bench fail. */
  readonly failures: readonly string[];
}

/** Puts reports together, in their order. */
export const joinReports = (reports: readonly BenchReport[]): BenchReport => ({
  figures: reports.flatMap(({ figures }) => figures),
  failures: reports.flatMap(({ failures }) => failures),
});
