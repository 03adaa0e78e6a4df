import { type Kind, rowsByKind, unmetKinds } from './kinds.js';
import { type Stored } from './stored.js';

export interface Outcome {
  readonly faults: ReadonlyMap<string, number>;
  readonly taken: number;
  readonly streams: number;
  /** Messages that errorHandler was told of as lost. */
  readonly reported: number;
  /** Devices that still had something to send at the end. */
  readonly waiting: number;
  readonly stored: Stored;
}

/** Simulated clients have no browser. */
const notDrawn: readonly Kind[] = ['browser killed'];

/** Kinds of faults that a run should meet and did not. */
export const unmetOf = (faults: ReadonlyMap<string, number>): Kind[] => unmetKinds(faults, notDrawn);

/** Messages that are gone without a word. */
export const lostOf = ({ stored, reported }: Outcome): number => Math.max(0, stored.missing - reported);

/** Whether every kind of fault was met, nothing was lost or doubled, and there was something to lose. */
export const isGood = (outcome: Outcome): boolean =>
  outcome.taken > 0 &&
  unmetOf(outcome.faults).length === 0 &&
  outcome.waiting === 0 &&
  outcome.stored.doubled === 0 &&
  lostOf(outcome) === 0;

export function textOf(outcome: Outcome): string {
  const { faults, taken, streams, reported, waiting, stored } = outcome;
  const rows: [string, number | undefined][] = [
    ...rowsByKind(faults),
    ['kinds that were not met', unmetOf(faults).length],
    ['clients', streams],
    ['messages taken', taken],
    ['  stored', stored.messages],
    ['  doubled', stored.doubled],
    ['  lost', lostOf(outcome)],
    ['  reported as given up', reported],
    ['  only in the memory of a killed client', stored.missingAtRisk],
    ['devices that still wait', waiting],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows
    .map(([label, count]) => `${label.padEnd(width)}  ${(count ?? 0).toLocaleString('en').padStart(9)}`)
    .join('\n');
}
