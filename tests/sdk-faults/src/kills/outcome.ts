import { formatRows } from '../ledger/outcome.js';
import { type DeviceArrivals, eventsPerLife } from './arrivals.js';
import { type KilledDevice } from './device.js';
import { gapsIn, type KnownNumbers, type LifeOutcome } from './life.js';

export interface KillOutcome {
  readonly kills: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly requests: number;
  /** Messages that `track` took before the kill. */
  readonly taken: number;
  /** Messages that processes said to have written. */
  readonly written: number;
  readonly onDisk: number;
  readonly stored: number;
  readonly doubled: number;
  /** Messages that were written, or followed by one that was, and were never stored. */
  readonly lost: number;
  /** Messages that were not written in the time that the tail gives. */
  readonly late: number;
  /** The maximum of messages of one process that were written before it could say that it took them. A kill explains one. */
  readonly unsaid: number;
  /** Numbers that are missing within the streams that the service has. */
  readonly gaps: number;
  /** Requests whose body was torn, or had other bytes than before under the same key. */
  readonly torn: number;
  readonly damaged: number;
  readonly unfinished: number;
  /** Messages that kills took: the last ones of their processes, none of them written. */
  readonly tail: number;
  /** The maximum of messages that one kill took, and the age of the oldest of all in milliseconds. */
  readonly maxTail: number;
  readonly tailMs: number;
  /** Ids beyond the one of each device. */
  readonly newIds: number;
  /** Losses and failures of stores that the SDK reported. */
  readonly failures: readonly string[];
  /** Batches that could not be sent at the end. */
  readonly left: number;
}

export interface Observed {
  readonly device: Pick<KilledDevice, 'kills' | 'lives' | 'onDisk' | 'unfinished' | 'damaged' | 'reports'>;
  readonly arrivals: Pick<DeviceArrivals, 'stored' | 'streams' | 'torn' | 'changed' | 'requests' | 'devices'>;
}

export interface End {
  readonly faults: ReadonlyMap<string, number>;
  readonly left: number;
  readonly tailMs: number;
}

export function summarizeKills(
  observations: readonly Observed[],
  { faults, left: leftFiles, tailMs }: End,
): KillOutcome {
  const sum = (count: (observed: Observed) => number): number =>
    observations.reduce((total, observed) => total + count(observed), 0);
  const lives = observations.flatMap((observed) => judgeLives(observed, tailMs));
  const sumOfLives = (count: (life: LifeOutcome) => number): number =>
    lives.reduce((total, life) => total + count(life), 0);
  return {
    kills: sum(({ device }) => device.kills),
    faults,
    requests: sum(({ arrivals }) => arrivals.requests),
    taken: sum(({ device }) => device.lives.reduce((total, life) => total + life.taken.length, 0)),
    written: sum(({ device }) => device.lives.reduce((total, life) => total + life.written.size, 0)),
    onDisk: sum(({ device }) => device.onDisk.size),
    stored: sum(({ arrivals }) => arrivals.stored.size),
    doubled: sum(({ arrivals }) => [...arrivals.stored.values()].filter((times) => times > 1).length),
    lost: sumOfLives((life) => life.lost),
    late: sumOfLives((life) => life.late),
    unsaid: Math.max(0, ...lives.map((life) => life.unsaid)),
    gaps: sum(({ arrivals }) => gapsIn(arrivals.streams)),
    torn: sum(({ arrivals }) => arrivals.torn + arrivals.changed),
    damaged: sum(({ device }) => device.damaged),
    unfinished: sum(({ device }) => device.unfinished),
    tail: sumOfLives((life) => life.tail),
    maxTail: Math.max(0, ...lives.map((life) => life.tail)),
    tailMs: Math.max(0, ...lives.map((life) => life.tailMs)),
    newIds: sum(({ arrivals }) => Math.max(0, arrivals.devices - 1)),
    failures: observations.flatMap(({ device }) =>
      device.reports.filter((text) => !/^UN(AUTHORIZED|REACHABLE) /i.test(text)),
    ),
    left: leftFiles,
  };
}

/** Judges each process of a device. */
function judgeLives({ device, arrivals }: Observed, tailMs: number): LifeOutcome[] {
  const stored = byLife(arrivals.stored.keys());
  const onDisk = byLife(device.onDisk);
  const none = new Set<number>();
  return device.lives.map((life, index) => {
    const knownNumbers: KnownNumbers = { stored: stored.get(index) ?? none, onDisk: onDisk.get(index) ?? none };
    return life.outcome(knownNumbers, tailMs);
  });
}

/** Numbers by the process that they belong to. */
function byLife(numbers: Iterable<number>): Map<number, Set<number>> {
  const lives = new Map<number, Set<number>>();
  for (const number of numbers) {
    const life = Math.floor(number / eventsPerLife);
    lives.set(life, (lives.get(life) ?? new Set()).add(number));
  }
  return lives;
}

/** Lists the faults of a run; none if every message that was written is stored once. */
export function listComplaints(outcome: KillOutcome): readonly string[] {
  const zero = ['doubled', 'lost', 'late', 'gaps', 'torn', 'damaged', 'left', 'newIds'] as const;
  const nonZero = ['kills', 'taken', 'written', 'onDisk', 'stored'] as const;
  return [
    ...zero.filter((name) => outcome[name] > 0).map((name) => `${name} ${outcome[name]}`),
    ...nonZero.filter((name) => outcome[name] === 0).map((name) => `nothing ${name}`),
    ...(outcome.faults.size === 0 ? ['no fault of the service'] : []),
    ...(outcome.unsaid > 1 ? [`unsaid ${outcome.unsaid}`] : []),
    ...outcome.failures.slice(0, 10),
  ];
}

/** The sentence under the table. */
export function formatVerdict(outcome: KillOutcome): string {
  const complaints = listComplaints(outcome);
  if (complaints.length > 0) return `FAILED: ${complaints.join(', ')}`;
  const share = Math.round((outcome.tail / outcome.taken) * 1_000) / 10;
  return `Every message that was written is stored once. The kills took ${outcome.tail.toLocaleString('en')} messages (${share}%): the last calls of their processes, at most ${outcome.maxTail} and ${outcome.tailMs} ms each.`;
}

export const formatKillOutcome = (outcome: KillOutcome): string =>
  formatRows([
    ['processes killed', outcome.kills],
    ['requests', outcome.requests],
    ...[...outcome.faults].sort().map(([name, count]) => [`  ${name}`, count] as const),
    ['messages taken', outcome.taken],
    ['  written, as their process said', outcome.written],
    ['  in a file when their process was killed', outcome.onDisk],
    ['  stored', outcome.stored],
    ['  doubled', outcome.doubled],
    ['  lost, although written, or before one that was', outcome.lost],
    ['  not written in the time of the tail', outcome.late],
    ['  taken by a kill: the last ones, not yet written', outcome.tail],
    ['    maximum of one kill', outcome.maxTail],
    ['    age of the oldest, ms', outcome.tailMs],
    ['written before their process said so; maximum of one', outcome.unsaid],
    ['gaps in the numbers of a stream', outcome.gaps],
    ['torn or changed batches sent', outcome.torn],
    ['damaged messages in files', outcome.damaged],
    ['unfinished writes cut off', outcome.unfinished],
    ['new ids of a device', outcome.newIds],
    ['batches that could not be sent', outcome.left],
    ['failures reported', outcome.failures.length],
  ]);
