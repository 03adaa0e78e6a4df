import { type LoadOrder, type LoadResult, type Messages, sendLoad } from './load.js';
import { type BenchLoad } from './options.js';
import { cpuSeconds } from './process-usage.js';
import { progress } from './progress.js';
import { type BenchReport, type BenchFigure, joinReports } from './report.js';
import { sideBySide } from './side-by-side.js';

/** A server under load. */
export interface LoadTarget {
  readonly pid: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly messages?: Messages;
}

export type LoadSample = LoadResult & { readonly cpuSeconds: number };

/**
 * Loads the gateway and the floor in turn. The machine's speed changes from minute to minute, so gateway and floor are
 * compared within each round; the ratio is the median of the rounds' ratios. Every other round begins with the gateway,
 * because the order affects the result.
 */
export async function compare(
  group: string,
  [gateway, floor]: readonly [LoadTarget, LoadTarget],
  shape: Pick<LoadOrder, 'items' | 'connections'>,
  { rounds, roundSeconds, warmUpSeconds }: BenchLoad,
): Promise<BenchReport> {
  const sample = (target: LoadTarget, seconds: number) => measure({ ...target, ...shape, seconds }, target.pid);
  const warmUps: LoadSample[] = [];
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
  const samples = [...warmUps, ...pairs.flatMap((pair) => [pair.floor, pair.sluice])];
  const failed = samples.reduce((sum, sample) => sum + sample.failed, 0);
  return {
    figures: [
      ...makeFigures(group, pairs, shape.items),
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

export const describeGroup = ({ items }: Shape, comparison: string): string =>
  `${items === 1 ? 'track' : `track of ${items}`} ${comparison}`;

/** Compares two targets with single messages, then with batches. @param comparison what they differ in, for the heading */
export async function compareShapes(
  comparison: string,
  makeTargets: (shape: Shape) => readonly [LoadTarget, LoadTarget],
  load: BenchLoad,
): Promise<BenchReport> {
  const reports: BenchReport[] = [];
  for (const shape of shapes) {
    const group = describeGroup(shape, comparison);
    progress(group);
    const { items } = shape;
    reports.push(await compare(group, makeTargets(shape), { items, connections: sourceConnections }, load));
  }
  return joinReports(reports);
}

interface Pair {
  readonly sluice: LoadSample;
  readonly floor: LoadSample;
}

function makeFigures(group: string, pairs: readonly Pair[], items: number): BenchFigure[] {
  const figure = (measure: string, unit: string, quantity: (sample: LoadSample) => number): BenchFigure =>
    sideBySide(
      { group, measure, unit },
      pairs.map(({ sluice, floor }) => ({ sluice: quantity(sluice), floor: quantity(floor) })),
    );
  const noun = items === 1 ? 'requests' : 'events';
  return [
    figure('acknowledged', `${noun}/s`, ({ acknowledged, seconds }) => (acknowledged * items) / seconds),
    figure('per CPU-second', noun, ({ acknowledged, cpuSeconds }) => (acknowledged * items) / cpuSeconds),
    figure('p50', 'ms', ({ p50Ms }) => p50Ms),
    figure('p99', 'ms', ({ p99Ms }) => p99Ms),
  ];
}

export async function measure(order: LoadOrder, pid: number): Promise<LoadSample> {
  const before = cpuSeconds(pid);
  const result = await sendLoad(order);
  return { ...result, cpuSeconds: cpuSeconds(pid) - before };
}
