import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type BenchLoad } from './options.js';
import { progress } from './progress.js';
import { type BenchFigure, type BenchReport } from './report.js';
import { type LoadTarget } from './rounds.js';
import { quantile } from './statistics.js';

/** Connections that are all opened at the same moment; each sends batches back to back. */
export interface BurstOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly items: number;
  readonly connections: number;
  readonly seconds: number;
}

export interface BurstResult {
  /** Milliseconds from opening each connection to its first answer. */
  readonly firstMs: readonly number[];
  /** Times of all answers, including the first ones. */
  readonly answerMs: readonly number[];
  /** Number of requests that were not answered with 200, by status or by the socket's error. */
  readonly failed: Readonly<Record<string, number>>;
}

const program = fileURLToPath(new URL('./burst-process.js', import.meta.url));
const bursts = [128, 1_000] as const;
const seconds = 3;
/** Answer of a gateway whose memory for bodies is used up: 1,000 batches of 45 kB hold most of it. */
const overload = 'HTTP/1.1 503';
const overloaded = ({ failed }: BurstResult): number => failed[overload] ?? 0;

async function sendBurst(order: BurstOrder): Promise<BurstResult> {
  const child = fork(program, { execArgv: [] });
  try {
    child.send(order);
    const [result] = (await once(child, 'message')) as [BurstResult];
    return result;
  } finally {
    child.kill();
  }
}

/** Measures how soon clients are served when all connect at once, as they do after a rolling restart. */
export async function measureBursts(
  [sluice, floor]: readonly [LoadTarget, LoadTarget],
  items: number,
  { rounds }: BenchLoad,
): Promise<BenchReport> {
  const figures: BenchFigure[] = [];
  const failures: string[] = [];
  for (const connections of bursts) {
    const group = `burst of ${connections} connections, batches of ${items}`;
    progress(group);
    const results = { sluice: [] as BurstResult[], floor: [] as BurstResult[] };
    for (let round = 0; round < rounds; round++) {
      const order = { items, connections, seconds };
      results.floor.push(await sendBurst({ ...floor, ...order }));
      results.sluice.push(await sendBurst({ ...sluice, ...order }));
    }
    const figure = (measure: string, quantity: (result: BurstResult) => number): BenchFigure => ({
      group,
      measure,
      unit: 'ms',
      sluice: Math.max(...results.sluice.map(quantity)),
      floor: Math.max(...results.floor.map(quantity)),
    });
    figures.push(
      figure('last first answer', ({ firstMs }) => quantile(firstMs, 1)),
      figure('p99', ({ answerMs }) => quantile(answerMs, 0.99)),
      figure('slowest', ({ answerMs }) => quantile(answerMs, 1)),
    );
    const countOverloaded = (side: keyof typeof results): number =>
      results[side].reduce((sum, burstResult) => sum + overloaded(burstResult), 0);
    figures.push({
      group,
      measure: 'answered 503',
      unit: 'requests',
      sluice: countOverloaded('sluice'),
      floor: countOverloaded('floor'),
    });
    for (const { failed } of results.sluice) {
      for (const [answer, count] of Object.entries(failed)) {
        if (answer !== overload) failures.push(`${group}: ${count} requests: ${answer}`);
      }
    }
  }
  return { figures, failures };
}
