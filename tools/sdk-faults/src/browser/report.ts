import { type Kind, rowsByKind, unmetKinds } from '../run/kinds.js';
import { type BrowserOutcome } from './run.js';

/** The size of a batch is a matter of the simulated clients. */
const notDrawn: readonly Kind[] = ['batch refused for its size'];

/** Kinds of faults that a run should meet and did not. */
export const unmetOf = (faults: ReadonlyMap<string, number>): Kind[] => unmetKinds(faults, notDrawn);

/** Messages that are gone without a word. */
const lostOf = ({ missing, reported }: BrowserOutcome): number => Math.max(0, missing.none - reported);

/** Whether every kind of fault was met, nothing was lost or doubled, and there was something to lose. */
export const isGood = (outcome: BrowserOutcome): boolean =>
  outcome.taken > 0 &&
  unmetOf(outcome.faults).length === 0 &&
  outcome.waiting === 0 &&
  outcome.stored.doubled === 0 &&
  outcome.stored.misnumbered === 0 &&
  lostOf(outcome) === 0;

export function textOf(outcome: BrowserOutcome): string {
  const { faults, taken, tabs, reports, missing, waiting, stored } = outcome;
  const sorted = (counts: ReadonlyMap<string, number>): [string, number][] =>
    [...counts]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, count]): [string, number] => [`  ${name}`, count]);
  const rows: [string, number][] = [
    ...rowsByKind(faults),
    ['kinds that were not met', unmetOf(faults).length],
    ['pages', tabs],
    ['messages known to be taken', taken],
    ['messages stored', stored.rows],
    ['  devices', stored.devices],
    ['  streams', stored.streams],
    ['  doubled, by device, stream and seq', stored.doubled],
    ['  with a wrong seq', stored.misnumbered],
    ['lost', lostOf(outcome)],
    ['lost, made under a second before the browser was killed', missing.young],
    ['lost, made while the device had no room', missing.full],
    ...sorted(reports).map(([name, count]): [string, number] => [`  reported as${name.slice(1)}`, count]),
    ['browsers that still wait', waiting],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, count]) => `${label.padEnd(width)}  ${count.toLocaleString('en').padStart(9)}`).join('\n');
}
