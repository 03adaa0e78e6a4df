import { type LoadOrder, type LoadResult, type Messages, sendLoad } from './load.js';
import { type BenchLoad } from './options.js';
import { cpuSeconds } from './process-usage.js';
import { progress } from './progress.js';
import { type Figure, type BenchReport } from './report.js';
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
 * compared within each round; the ratio is the median of the rounds' ratios. Every other round begins with the gateway:
 * the second of two looks better or worse for its place.
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
