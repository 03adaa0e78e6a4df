import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A metric as docs/metrics.md has it. */
export interface DocumentedMetric {
  name: string;
  type: string;
  labels: string[];
  help: string;
}

const page = fileURLToPath(new URL('../../../../docs/metrics.md', import.meta.url));

/** The rows of the tables in docs/metrics.md; with a heading only those below it. */
export function documentedMetrics(heading?: string): DocumentedMetric[] {
  const sections = readFileSync(page, 'utf8').split(/^## /m);
  const wanted = heading === undefined ? sections : sections.filter((section) => section.startsWith(`${heading}\n`));
  return wanted.flatMap((section) => section.split('\n')).flatMap(rowOf);
}

/** What a prom-client registry has, in the same form and in the order of the names. */
export function exportedMetrics(registry: { getMetricsAsArray(): unknown[] }): DocumentedMetric[] {
  const metrics = registry.getMetricsAsArray() as (DocumentedMetric & { labelNames: string[] })[];
  return metrics
    .map(({ name, type, help, labelNames }) => ({ name, type, labels: [...labelNames], help }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

function rowOf(line: string): DocumentedMetric[] {
  const [, name, type = '', labels = '', help = ''] = /^\| `(\w+)` +\| (\w+) +\| (.*?) +\| (.*?) +\|$/.exec(line) ?? [];
  if (name === undefined) return [];
  return [{ name, type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label), help }];
}
