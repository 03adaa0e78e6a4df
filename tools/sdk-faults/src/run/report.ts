import { kinds } from './kinds.js';
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

/** Messages that are gone without a word. */
export const lostOf = ({ stored, reported }: Outcome): number => Math.max(0, stored.missing - reported);

/** Whether nothing was lost or doubled, and there was something to lose. */
export const isGood = (outcome: Outcome): boolean =>
  outcome.taken > 0 &&
  outcome.faults.size > 0 &&
  outcome.waiting === 0 &&
  outcome.stored.doubled === 0 &&
  lostOf(outcome) === 0;

export function textOf(outcome: Outcome): string {
  const { faults, taken, streams, reported, waiting, stored } = outcome;
  const rows: [string, number | undefined][] = [
    ['faults', sumOf(faults)],
    ...Object.entries(byKind(faults)).flatMap(([kind, counts]): [string, number][] => [
      [`  ${kind}`, sumOf(counts)],
      ...(counts.size > 1 ? [...counts].map(([name, count]): [string, number] => [`    ${name}`, count]) : []),
    ]),
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

const sumOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, one) => sum + one, 0);

/** Counts of each kind; kinds that were not met have none. */
function byKind(faults: ReadonlyMap<string, number>): Record<string, ReadonlyMap<string, number>> {
  const known = new Set(Object.values(kinds).flat());
  const others = [...faults.keys()].filter((name) => !known.has(name));
  return Object.fromEntries(
    Object.entries({ ...kinds, ...(others.length > 0 && { others }) }).map(([kind, names]) => [
      kind,
      new Map([...faults].filter(([name]) => names.includes(name)).sort(([one], [other]) => (one < other ? -1 : 1))),
    ]),
  );
}
