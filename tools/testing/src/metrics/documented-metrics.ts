import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A metric as documented in docs/metrics.md. */
export interface DocumentedMetric {
  name: string;
  type: string;
  labels: string[];
  help: string;
}

const page = fileURLToPath(new URL('../../../../docs/metrics.md', import.meta.url));

/** The metrics in the tables of docs/metrics.md, optionally only those below a heading. */
export function documentedMetrics(heading?: string): DocumentedMetric[] {
  const sections = readFileSync(page, 'utf8').split(/^## /m);
  const chosenSections =
    heading === undefined ? sections : sections.filter((section) => section.startsWith(`${heading}\n`));
  return chosenSections.flatMap((section) => section.split('\n')).flatMap(parseRow);
}

/** The metrics of a prom-client registry in the same form, sorted by name. */
export function exportedMetrics(registry: { getMetricsAsArray(): unknown[] }): DocumentedMetric[] {
  const metrics = registry.getMetricsAsArray() as (DocumentedMetric & { labelNames: string[] })[];
  return metrics
    .map(({ name, type, help, labelNames }) => ({ name, type, labels: [...labelNames], help }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

function parseRow(line: string): DocumentedMetric[] {
  const [, name, type = '', labels = '', help = ''] = /^\| `(\w+)` +\| (\w+) +\| (.*?) +\| (.*?) +\|$/.exec(line) ?? [];
  if (name === undefined) return [];
  return [{ name, type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label), help }];
}
