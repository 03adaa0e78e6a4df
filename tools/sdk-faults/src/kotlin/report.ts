import { type Device } from './device.js';
import { gapsIn } from './life.js';
import { type Arrivals } from './service.js';

export interface Outcome {
  readonly kills: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly requests: number;
  /** Messages that `track` took before the kill. */
  readonly taken: number;
  readonly onDisk: number;
  readonly stored: number;
  readonly doubled: number;
  /** Messages that were written, or followed by one that was, and were never stored. */
  readonly lost: number;
  /** Messages that were not written in the time that the tail gives. */
  readonly late: number;
  /** Numbers that are missing within the streams that the service has. */
  readonly gaps: number;
  /** Requests whose body was torn, or had other bytes than before under the same key. */
  readonly torn: number;
  readonly damaged: number;
  readonly unfinished: number;
  /** Messages that kills took: the last ones of their processes, none of them written. */
  readonly tail: number;
  /** The most messages that one kill took, and the oldest of all in milliseconds. */
  readonly maxTail: number;
  readonly tailMs: number;
  readonly reports: readonly string[];
  /** Batches that could not be sent at the end. */
  readonly left: number;
}

interface Observed {
  readonly device: Pick<Device, 'kills' | 'lives' | 'onDisk' | 'unfinished' | 'damaged' | 'reports'>;
  readonly arrivals: Pick<Arrivals, 'stored' | 'streams' | 'torn' | 'changed' | 'requests'>;
}

export function outcomeOf(
  all: readonly Observed[],
  faults: ReadonlyMap<string, number>,
  left: number,
  tailMs: number,
): Outcome {
  const sum = (count: (one: Observed) => number): number => all.reduce((total, one) => total + count(one), 0);
  const lives = all.flatMap(({ device, arrivals }) =>
    device.lives.map((life) => life.outcome((number) => arrivals.stored.has(number), device.onDisk, tailMs)),
  );
  const sumOfLives = (count: (life: (typeof lives)[number]) => number): number =>
    lives.reduce((total, life) => total + count(life), 0);
  return {
    kills: sum(({ device }) => device.kills),
    faults,
    requests: sum(({ arrivals }) => arrivals.requests),
    taken: sum(({ device }) => device.lives.reduce((total, life) => total + life.taken.length, 0)),
    onDisk: sum(({ device }) => device.onDisk.size),
    stored: sum(({ arrivals }) => arrivals.stored.size),
    doubled: sum(({ arrivals }) => [...arrivals.stored.values()].filter((times) => times > 1).length),
    lost: sumOfLives((life) => life.lost) + sum(unsaidLosses),
    late: sumOfLives((life) => life.late),
    gaps: sum(({ arrivals }) => gapsIn(arrivals.streams)),
    torn: sum(({ arrivals }) => arrivals.torn + arrivals.changed),
    damaged: sum(({ device }) => device.damaged),
    unfinished: sum(({ device }) => device.unfinished),
    tail: sumOfLives((life) => life.tail),
    maxTail: Math.max(0, ...lives.map((life) => life.tail)),
    tailMs: Math.max(0, ...lives.map((life) => life.tailMs)),
    reports: all.flatMap(({ device }) => device.reports),
    left,
  };
}

/** Messages that were in a file and never stored, and of which their process was killed before it could say anything. */
function unsaidLosses({ device, arrivals }: Observed): number {
  const said = new Set(device.lives.flatMap((life) => [...life.written, ...life.taken.map(({ number }) => number)]));
  return [...device.onDisk].filter((number) => !said.has(number) && !arrivals.stored.has(number)).length;
}

/** Reports of losses, and of stores that failed. */
const failuresIn = (reports: readonly string[]): readonly string[] =>
  reports.filter((text) => !/^UN(AUTHORIZED|REACHABLE) /.test(text));

export const isGood = (outcome: Outcome): boolean =>
  outcome.kills > 0 &&
  outcome.onDisk > 0 &&
  outcome.stored > 0 &&
  outcome.faults.size > 0 &&
  [outcome.doubled, outcome.lost, outcome.late, outcome.gaps, outcome.torn, outcome.damaged, outcome.left].every(
    (count) => count === 0,
  ) &&
  failuresIn(outcome.reports).length === 0;

/** The sentence under the table. */
export function verdictOf(outcome: Outcome): string {
  if (!isGood(outcome)) return 'FAILED: see lost, written late, gaps, doubled and failures above.';
  const share = Math.round((outcome.tail / outcome.taken) * 1_000) / 10;
  return `Every message that was written is stored once. The kills took ${outcome.tail.toLocaleString('en')} messages (${share}%): the last calls of their processes, at most ${outcome.maxTail} and ${outcome.tailMs} ms each.`;
}

export function textOf(outcome: Outcome): string {
  const { faults, reports } = outcome;
  const failures = failuresIn(reports);
  const rows: [string, number][] = [
    ['processes killed', outcome.kills],
    ['requests', outcome.requests],
    ...[...faults].sort().map(([name, count]): [string, number] => [`  ${name}`, count]),
    ['messages taken', outcome.taken],
    ['  in a file when their process was killed', outcome.onDisk],
    ['  stored', outcome.stored],
    ['  doubled', outcome.doubled],
    ['  lost, although written, or before one that was', outcome.lost],
    ['  not written in the time of the tail', outcome.late],
    ['  taken by a kill: the last ones, not yet written', outcome.tail],
    ['    most of one kill', outcome.maxTail],
    ['    age of the oldest, ms', outcome.tailMs],
    ['gaps in the numbers of a stream', outcome.gaps],
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
