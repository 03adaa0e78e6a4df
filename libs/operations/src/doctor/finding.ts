/**
 * Verdict of a check.
 * - `ok`: the promise holds.
 * - `attention`: it holds, and someone should know this.
 * - `fails`: it does not hold.
 * - `unknown`: it could not be tested.
 */
export type DoctorVerdict = 'ok' | 'attention' | 'fails' | 'unknown';

/** Result of a check: what was found, what it means, and what to do; both are empty where all is well. */
export interface Finding {
  readonly verdict: DoctorVerdict;
  readonly found: string;
  readonly meaning: string;
  readonly action: string;
}

export interface CheckResult extends Finding {
  /** Name of the check, such as `kafka.generations`. */
  readonly check: string;
  /** The tested property, in words. */
  readonly tested: string;
}

/** The answer of `operator doctor`. */
export interface DoctorReport {
  readonly at: string;
  readonly version: string;
  /** The worst verdict; `unknown` is worse than `attention`. */
  readonly verdict: DoctorVerdict;
  readonly checks: readonly CheckResult[];
}

export const well = (text: string): Finding => ({ verdict: 'ok', found: text, meaning: '', action: '' });

const ranks: Readonly<Record<DoctorVerdict, number>> = { ok: 0, attention: 1, unknown: 2, fails: 3 };

export const worstVerdict = (results: readonly Pick<Finding, 'verdict'>[]): DoctorVerdict =>
  results.reduce<DoctorVerdict>((worst, { verdict }) => (ranks[verdict] > ranks[worst] ? verdict : worst), 'ok');
