import { inferPlan, makeSelectRows } from '@sluice/operations';
import { clickhouseConfig } from '../clickhouse-config.js';
import { type BenchReport, type BenchFigure } from '../report.js';
import { type BenchServers } from '../servers.js';
import { median } from '../statistics.js';
import { sources } from './fill.js';

/** Days: a week, the default of `operator plans infer`, and everything that was filled in. */
const periods = [7, 90];
const runs = 3;

/** Measures how long a plan takes to draft from the messages of the largest source. */
export async function measureInfer({ clickhouseUrl }: BenchServers): Promise<BenchReport> {
  const select = makeSelectRows(clickhouseConfig(clickhouseUrl));
  const figures: BenchFigure[] = [];
  const failures: string[] = [];
  for (const days of periods) {
    const took: number[] = [];
    for (let i = 0; i < runs; i++) {
      const startedAt = performance.now();
      const { plan } = await inferPlan(select, { source: sources[0], days, version: 1 });
      took.push(performance.now() - startedAt);
      if (Object.keys(plan.events).length === 0) failures.push(`queries: the draft of ${days} days names no event`);
    }
    figures.push({ group: `plans infer --days ${days}`, measure: 'warm', unit: 'ms', sluice: median(took) });
  }
  return { figures, failures };
}
