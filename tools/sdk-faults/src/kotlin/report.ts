import { type Device } from './device.js';
import { type Arrivals } from './service.js';

export interface Outcome {
  readonly kills: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly requests: number;
  /** Messages that `track` took before the kill. */
  readonly told: number;
  readonly onDisk: number;
  readonly stored: number;
  readonly doubled: number;
  /** Messages that were in a file and were never stored. */
  readonly lost: number;
  /** Requests whose body was torn, or had other bytes than before under the same key. */
  readonly torn: number;
  readonly damaged: number;
  readonly unfinished: number;
  /** Messages that were taken, and neither in a file nor stored: the kill came before the write. */
  readonly inMemory: number;
  readonly reports: readonly string[];
  /** Batches that could not be sent at the end. */
  readonly left: number;
}

interface Observed {
  readonly device: Pick<Device, 'kills' | 'told' | 'onDisk' | 'unfinished' | 'damaged' | 'reports'>;
  readonly arrivals: Pick<Arrivals, 'stored' | 'torn' | 'changed' | 'requests'>;
}

export function outcomeOf(all: readonly Observed[], faults: ReadonlyMap<string, number>, left: number): Outcome {
  const sum = (count: (one: Observed) => number): number => all.reduce((total, one) => total + count(one), 0);
  return {
    kills: sum(({ device }) => device.kills),
    faults,
    requests: sum(({ arrivals }) => arrivals.requests),
    told: sum(({ device }) => device.told.size),
    onDisk: sum(({ device }) => device.onDisk.size),
    stored: sum(({ arrivals }) => arrivals.stored.size),
    doubled: sum(({ arrivals }) => [...arrivals.stored.values()].filter((times) => times > 1).length),
    lost: sum(({ device, arrivals }) => [...device.onDisk].filter((number) => !arrivals.stored.has(number)).length),
    torn: sum(({ arrivals }) => arrivals.torn + arrivals.changed),
    damaged: sum(({ device }) => device.damaged),
    unfinished: sum(({ device }) => device.unfinished),
    inMemory: sum(
      ({ device, arrivals }) =>
        [...device.told].filter((number) => !device.onDisk.has(number) && !arrivals.stored.has(number)).length,
    ),
    reports: all.flatMap(({ device }) => device.reports),
    left,
  };
}

/** Reports of losses, and of stores that failed. */
const failuresIn = (reports: readonly string[]): readonly string[] =>
  reports.filter((text) => !text.startsWith('UNAUTHORIZED'));

export const isGood = (outcome: Outcome): boolean =>
  outcome.kills > 0 &&
  outcome.onDisk > 0 &&
  outcome.stored > 0 &&
  outcome.faults.size > 0 &&
  [outcome.doubled, outcome.lost, outcome.torn, outcome.damaged, outcome.left].every((count) => count === 0) &&
  failuresIn(outcome.reports).length === 0;

export function textOf(outcome: Outcome): string {
  const { faults, reports } = outcome;
  const failures = failuresIn(reports);
  const rows: [string, number][] = [
    ['processes killed', outcome.kills],
    ['requests', outcome.requests],
    ...[...faults].sort().map(([name, count]): [string, number] => [`  ${name}`, count]),
    ['messages taken', outcome.told],
    ['  in a file when their process was killed', outcome.onDisk],
    ['  stored', outcome.stored],
    ['  doubled', outcome.doubled],
    ['  lost of those in a file', outcome.lost],
    ['  taken in the moment of the kill, before their write', outcome.inMemory],
    ['torn or changed batches sent', outcome.torn],
    ['damaged messages in files', outcome.damaged],
    ['unfinished writes cut off', outcome.unfinished],
    ['batches that could not be sent', outcome.left],
    ['failures reported', failures.length],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  const table = rows.map(([label, count]) => `${label.padEnd(width)}  ${count.toLocaleString('en').padStart(9)}`);
  return [...table, ...failures.slice(0, 10)].join('\n');
}
