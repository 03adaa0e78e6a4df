import { type DocumentedMetric, documentedMetrics } from '@sluice/testing';
import { describe, expect, it } from 'vitest';
import { local } from '../stack.js';
import { alerts, readRunbooksPage, panelQueries, recordings, ruleQueries } from './monitored.js';
import { mentionedIn } from './promql.js';

/** Labels that a scrape adds to every series; `pod` only in Kubernetes. */
const ofTarget = ['namespace', 'release', 'job', 'instance', 'pod'];

/** Labels that every selector of a rule has, so that releases in one Prometheus do not hide each other. */
const scope = ['namespace', 'release'];

const documented = new Map(documentedMetrics().map((metric) => [metric.name, metric]));
const scrape = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();
const namesIn = (text: string): string[] => [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);

/** Labels of the series with this name; undefined if no process exports it. */
function findLabels(name: string, foreign: readonly string[]): string[] | undefined {
  if (name === 'up' || foreign.includes(name)) return ofTarget;
  const recorded = recordings().filter(({ record }) => record === name);
  if (recorded.length > 0) return [...ofTarget, ...recorded.flatMap(({ labels }) => Object.keys(labels ?? {}))];
  const whole = documented.get(name);
  if (whole && whole.type !== 'histogram') return [...whole.labels, ...ofTarget];
  const part = documented.get(name.replace(/_(?:bucket|sum|count)$/, ''));
  if (part?.type !== 'histogram') return undefined;
  return [...part.labels, ...ofTarget, ...(name.endsWith('_bucket') ? ['le'] : [])];
}

const { gateway, tracking, catalog, pushInteraction } = local();
const consumers = Object.entries({ tracking, catalog, pushInteraction });
const inSections = (...headings: string[]): string[] =>
  headings.flatMap((heading) => documentedMetrics(heading)).map(({ name }: DocumentedMetric) => name);

it('docs/metrics.md lists exactly the metrics that the gateway exports', async () => {
  const ownNames = namesIn(await scrape(gateway.managementUrl)).filter((name) => name.startsWith('sluice_'));

  expect(ownNames.sort()).toEqual(
    inSections('Gateway', 'Probes', 'Publisher', 'Spool', 'Suppressions', 'Every process').sort(),
  );
});

it.each(consumers)('docs/metrics.md lists exactly the metrics that %s exports', async (name, { url }) => {
  const ownNames = namesIn(await scrape(url)).filter((name) => name.startsWith('sluice_'));

  const ofApp = [
    ...(name === 'tracking' ? ['User agents', 'Watch', 'Canary'] : []),
    ...(name === 'catalog' ? [] : ['Suppressions']),
  ];
  const more = name === 'catalog' ? ['sluice_privacy_follows_suppressions'] : [];
  expect(ownNames.sort()).toEqual(
    [...inSections('Consumers', 'ClickHouse', ...ofApp, 'Every process'), ...more].sort(),
  );
});

describe('every metric and label in a query is exported', () =>
  it.each([...ruleQueries(), ...panelQueries()])('by $where', async ({ expression, filledIn }) => {
    const foreign = namesIn(await scrape(gateway.managementUrl)).filter((name) => !name.startsWith('sluice_'));

    const { metrics, grouping } = mentionedIn(expression);

    expect(metrics).not.toEqual([]);
    const labels = metrics.flatMap((metric) => {
      const labels = findLabels(metric.name, foreign);
      expect(labels, `${metric.name} is exported`).toBeDefined();
      expect(labels).toEqual(expect.arrayContaining(metric.labels));
      return labels ?? [];
    });
    expect(labels).toEqual(expect.arrayContaining(grouping));
    expect(grouping.length > 0 ? [...grouping, ...ofTarget] : labels).toEqual(expect.arrayContaining(filledIn));
  }));

it.each(ruleQueries())('$where asks only for series of its own release', ({ expression }) => {
  for (const { labels } of mentionedIn(expression).metrics) expect(labels).toEqual(expect.arrayContaining(scope));
});

it.each(alerts())('the alert $alert has a severity and its own runbook', ({ alert, labels, annotations }) => {
  expect(['page', 'ticket']).toContain(labels.severity);
  expect(annotations['runbook_url']).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
  expect(readRunbooksPage()).toMatch(new RegExp(`^###? ${alert}$`, 'm'));
});
