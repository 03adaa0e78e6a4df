import { type LoadOrder, type LoadResult, type Messages, sendLoad } from './load.js';
import { type BenchLoad } from './options.js';
import { cpuSeconds } from './process-usage.js';
import { progress } from './progress.js';
import { type BenchReport, type Figure, together } from './report.js';
import { sideBySide } from './side-by-side.js';

/** A server under load. */
export interface Target {
  readonly pid: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly messages?: Messages;
  readonly hasUserAgents?: boolean;
}

export type Sample = LoadResult & { readonly cpuSeconds: number };

/**
 * Loads the gateway and the floor in turn. The machine's speed changes from minute to minute, so gateway and floor are
 * compared within each round; the ratio is the median of the rounds' ratios. Every other round begins with the gateway,
 * because the order affects the result.
 */
export async function compare(
  group: string,
  [gateway, floor]: readonly [Target, Target],
  shape: Pick<LoadOrder, 'items' | 'connections'>,
  { rounds, roundSeconds, warmUpSeconds }: BenchLoad,
): Promise<BenchReport> {
  const sample = (target: Target, seconds: number) => measure({ ...target, ...shape, seconds }, target.pid);
  const warmUps: Sample[] = [];
  if (warmUpSeconds > 0) warmUps.push(await sample(floor, warmUpSeconds), await sample(gateway, warmUpSeconds));

  const pairs: Pair[] = [];
  for (let round = 1; round <= rounds; round++) {
    const before = round % 2 === 1 ? await sample(floor, roundSeconds) : undefined;
    const sluice = await sample(gateway, roundSeconds);
    const pair = { sluice, floor: before ?? (await sample(floor, roundSeconds)) };
    const { acknowledged, seconds } = pair.sluice;
    progress(`  round ${round} of ${rounds}: ${Math.round(acknowledged / seconds)} requests/s`);
    pairs.push(pair);
  }
  const all = [...warmUps, ...pairs.flatMap((pair) => [pair.floor, pair.sluice])];
  const failed = all.reduce((sum, one) => sum + one.failed, 0);
  return {
    figures: [
      ...figuresOf(group, pairs, shape.items),
      { group, measure: 'not answered 2xx', unit: 'requests', sluice: failed },
    ],
    failures: failed > 0 ? [`${group}: ${failed} requests were not answered 2xx`] : [],
  };
}

/** A request of one message, and one of a batch. */
export const shapes = [
  { endpoint: 'track', items: 1 },
  { endpoint: 'trackBatch', items: 100 },
] as const;
export type Shape = (typeof shapes)[number];
/** Connections of the load that compares one source with another. */
export const sourceConnections = 32;

export const groupOf = ({ items }: Shape, what: string): string =>
  `${items === 1 ? 'track' : `track of ${items}`} ${what}`;

/** Compares two targets with single messages, then with batches. @param what what they differ in, for the heading */
export async function compareShapes(
  what: string,
  targetsOf: (shape: Shape) => readonly [Target, Target],
  load: BenchLoad,
): Promise<BenchReport> {
  const reports: BenchReport[] = [];
  for (const shape of shapes) {
    const group = groupOf(shape, what);
    progress(group);
    const { items } = shape;
    reports.push(await compare(group, targetsOf(shape), { items, connections: sourceConnections }, load));
  }
  return together(reports);
}

interface Pair {
  readonly sluice: Sample;
  readonly floor: Sample;
}

function figuresOf(group: string, pairs: readonly Pair[], items: number): Figure[] {
  const figure = (measure: string, unit: string, of: (sample: Sample) => number): Figure =>
    sideBySide(
      { group, measure, unit },
      pairs.map(({ sluice, floor }) => ({ sluice: of(sluice), floor: of(floor) })),
    );
  const noun = items === 1 ? 'requests' : 'events';
  return [
    figure('acknowledged', `${noun}/s`, ({ acknowledged, seconds }) => (acknowledged * items) / seconds),
    figure('per CPU-second', noun, ({ acknowledged, cpuSeconds }) => (acknowledged * items) / cpuSeconds),
    figure('p50', 'ms', ({ p50Ms }) => p50Ms),
    figure('p99', 'ms', ({ p99Ms }) => p99Ms),
  ];
}

export async function measure(order: LoadOrder, pid: number): Promise<Sample> {
  const before = cpuSeconds(pid);
  const result = await sendLoad(order);
  return { ...result, cpuSeconds: cpuSeconds(pid) - before };
}
