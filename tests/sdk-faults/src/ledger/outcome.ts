import { rowsByKind, unmetKinds } from '../run/kinds.js';
import { type Platform, type Unwritten } from '../run/platform.js';
import { type Risk, risks } from './books.js';
import { type StoredRows } from './stored-rows.js';

/** Fate of the messages of a run. */
export interface RunOutcome {
  readonly faults: ReadonlyMap<string, number>;
  /** Messages that are known to be taken. */
  readonly taken: number;
  /** Pages, apps or processes that took them. */
  readonly clients: number;
  /** Losses that were reported to errorHandler, by code, and their sum. */
  readonly reports: ReadonlyMap<string, number>;
  readonly reported: number;
  readonly missing: Readonly<Record<Risk, number>>;
  /** Devices or batches that could not be sent. */
  readonly waiting: number;
  readonly stored: StoredRows;
  readonly unwritten?: Unwritten;
  /** Messages that are stored and that nobody noted: of all clients, and of the one with the maximum. */
  readonly unnoted: { readonly all: number; readonly max: number };
}

/** Parts of a platform that a report names. */
export type Reported = Pick<Platform, 'notDrawn' | 'words' | 'maxUnnoted'>;

/** Messages that are missing without a report. */
const countUnreported = ({ missing, reported }: RunOutcome): number => Math.max(0, missing.none - reported);

/** True when every kind of fault was met, nothing was lost or doubled, and there was something to lose. */
export const isGood = (outcome: RunOutcome, { notDrawn, maxUnnoted = Infinity }: Reported): boolean =>
  outcome.taken > 0 &&
  unmetKinds(outcome.faults, notDrawn).length === 0 &&
  outcome.waiting === 0 &&
  outcome.stored.doubled === 0 &&
  outcome.stored.misnumbered === 0 &&
  (outcome.unwritten?.silent ?? 0) === 0 &&
  countUnreported(outcome) === 0 &&
  outcome.unnoted.max <= maxUnnoted;

type Row = readonly [label: string, count: number];

export function formatRunOutcome(outcome: RunOutcome, platform: Reported): string {
  const { faults, taken: takenCount, clients, waiting, stored } = outcome;
  const { words, notDrawn } = platform;
  return formatRows([
    ...rowsByKind(faults),
    ['kinds that were not met', unmetKinds(faults, notDrawn).length],
    [words.clients, clients],
    ['messages known to be taken', takenCount],
    ['messages stored', stored.rows],
    ['  devices', stored.devices],
    ['  streams', stored.streams],
    ['  doubled, by device, stream and seq', stored.doubled],
    ['  with a wrong seq', stored.misnumbered],
    ['lost', countUnreported(outcome)],
    ...rowsOfRisks(outcome, platform),
    ...rowsOfUnwritten(outcome),
    ...(platform.maxUnnoted === undefined ? [] : [rowOfUnnoted(outcome)]),
    ...reportRows(outcome),
    [`${words.waiting} that still wait`, waiting],
  ]);
}

const rowsOfRisks = ({ missing }: RunOutcome, { words }: Reported): Row[] =>
  risks.flatMap((risk): Row[] => {
    const label = words.lost[risk];
    return label === undefined ? [] : [[`lost, ${label}`, missing[risk]]];
  });

const rowsOfUnwritten = ({ unwritten }: RunOutcome): Row[] =>
  unwritten
    ? [
        ['taken without a file, as errorHandler was informed', unwritten.reported],
        ['taken without a file and without a report', unwritten.silent],
      ]
    : [];

const rowOfUnnoted = ({ unnoted }: RunOutcome): Row => [
  'stored, but a kill took the note; maximum of a process',
  unnoted.max,
];

const reportRows = ({ reports }: RunOutcome): Row[] =>
  [...reports].sort(([a], [b]) => (a < b ? -1 : 1)).map(([code, count]): Row => [`  reported as ${code}`, count]);

/** A table of labels and counts. */
export function formatRows(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, count]) => `${label.padEnd(width)}  ${count.toLocaleString('en').padStart(9)}`).join('\n');
}
