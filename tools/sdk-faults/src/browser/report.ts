import { type Kind, rowsByKind, unmetKinds } from '../run/kinds.js';
import { type BrowserOutcome } from './run.js';

/** What differs between the runs of pages, apps and processes. */
export interface Platform {
  /** Kinds of faults that the run never draws. */
  readonly notDrawn: readonly Kind[];
  /** Words of the table. */
  readonly clients: string;
  readonly young: string;
  readonly behind?: string;
  readonly full: string;
  readonly waiting: string;
}

/** The size of a batch is a matter of the simulated clients. */
export const browser: Platform = {
  notDrawn: ['batch refused for its size'],
  clients: 'pages',
  young: 'lost, made under a second before the browser was killed',
  behind: 'lost, made after the last write of the control before the browser was killed',
  full: 'lost, made while the device had no room',
  waiting: 'browsers that still wait',
};

/** Messages that are gone without a word. */
const lostOf = ({ missing, reported }: BrowserOutcome): number => Math.max(0, missing.none - reported);

/** Whether messages were lost without a word, or were in no file when `track` returned. */
const isLossy = (outcome: BrowserOutcome): boolean =>
  (outcome.unwritten?.silent ?? 0) > 0 || lostOf(outcome) > 0 || outcome.waiting > 0;

/** Whether a run shows that its clients are mutants. */
export const isFoundOut = (outcome: BrowserOutcome): boolean => isLossy(outcome) || outcome.stored.doubled > 0;

/** Whether every kind of fault was met, nothing was lost or doubled, and there was something to lose. */
export const isGood = (outcome: BrowserOutcome, { notDrawn }: Platform): boolean =>
  outcome.taken > 0 &&
  unmetKinds(outcome.faults, notDrawn).length === 0 &&
  outcome.waiting === 0 &&
  outcome.stored.doubled === 0 &&
  outcome.stored.misnumbered === 0 &&
  !isLossy(outcome) &&
  // A kill takes at most the note of one message.
  (outcome.unnoted?.most ?? 0) <= 1;

const unwrittenRows = ({ unwritten }: BrowserOutcome): [string, number][] =>
  unwritten
    ? [
        ['taken without a file, as errorHandler was told', unwritten.told],
        ['taken without a file and without a word', unwritten.silent],
      ]
    : [];

export function textOf(outcome: BrowserOutcome, platform: Platform): string {
  const { faults, taken, tabs, reports, missing, waiting, stored } = outcome;
  const sorted = (counts: ReadonlyMap<string, number>): [string, number][] =>
    [...counts]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, count]): [string, number] => [`  ${name}`, count]);
  const rows: [string, number][] = [
    ...rowsByKind(faults),
    ['kinds that were not met', unmetKinds(faults, platform.notDrawn).length],
    [platform.clients, tabs],
    ['messages known to be taken', taken],
    ['messages stored', stored.rows],
    ['  devices', stored.devices],
    ['  streams', stored.streams],
    ['  doubled, by device, stream and seq', stored.doubled],
    ['  with a wrong seq', stored.misnumbered],
    ['lost', lostOf(outcome)],
    [platform.young, missing.young],
    ...(platform.behind === undefined ? [] : [[platform.behind, missing.behind] as [string, number]]),
    [platform.full, missing.full],
    ...unwrittenRows(outcome),
    ...(outcome.unnoted
      ? [['stored, but a kill took the note; most of a process', outcome.unnoted.most] as [string, number]]
      : []),
    ...sorted(reports).map(([name, count]): [string, number] => [`  reported as${name.slice(1)}`, count]),
    [platform.waiting, waiting],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, count]) => `${label.padEnd(width)}  ${count.toLocaleString('en').padStart(9)}`).join('\n');
}
