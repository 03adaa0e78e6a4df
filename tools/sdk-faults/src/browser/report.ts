import { type BrowserOutcome } from './run.js';

/** Messages that are gone without a word. */
const lostOf = ({ missing, reported }: BrowserOutcome): number => Math.max(0, missing.none - reported);

/** Whether nothing was lost or doubled, and there was something to lose. */
export const isGood = (outcome: BrowserOutcome): boolean =>
  outcome.taken > 0 &&
  outcome.faults.size > 0 &&
  outcome.waiting === 0 &&
  outcome.stored.doubled === 0 &&
  outcome.stored.misnumbered === 0 &&
  lostOf(outcome) === 0;

/** Words for what differs between platforms. */
export interface Labels {
  readonly tabs: string;
  readonly young: string;
  readonly full: string;
  readonly waiting: string;
}

const browserLabels: Labels = {
  tabs: 'pages',
  young: 'lost, made under a second before the browser was killed',
  full: 'lost, made while the device had no room',
  waiting: 'browsers that still wait',
};

export function textOf(outcome: BrowserOutcome, labels = browserLabels): string {
  const { faults, taken, tabs, reports, missing, waiting, stored } = outcome;
  const sorted = (counts: ReadonlyMap<string, number>): [string, number][] =>
    [...counts]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, count]): [string, number] => [`  ${name}`, count]);
  const rows: [string, number][] = [
    ['faults', [...faults.values()].reduce((sum, count) => sum + count, 0)],
    ...sorted(faults),
    [labels.tabs, tabs],
    ['messages known to be taken', taken],
    ['messages stored', stored.rows],
    ['  devices', stored.devices],
    ['  streams', stored.streams],
    ['  doubled, by device, stream and seq', stored.doubled],
    ['  with a wrong seq', stored.misnumbered],
    ['lost', lostOf(outcome)],
    [labels.young, missing.young],
    [labels.full, missing.full],
    ...sorted(reports).map(([name, count]): [string, number] => [`  reported as${name.slice(1)}`, count]),
    [labels.waiting, waiting],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, count]) => `${label.padEnd(width)}  ${count.toLocaleString('en').padStart(9)}`).join('\n');
}
