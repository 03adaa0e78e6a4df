import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), 'utf8');

/** A query of an alert or panel, and the labels that its texts use. */
export interface MonitoredQuery {
  where: string;
  expression: string;
  filledIn: string[];
}

export interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: Record<string, string>;
}

/** A rule whose result is a series of its own. */
export interface RecordingRule {
  record: string;
  expr: string;
  labels?: Record<string, string>;
}

interface Panel {
  title: string;
  targets?: { expr: string; legendFormat: string }[];
}

const rules = (): (Alert | RecordingRule)[] =>
  (
    parse(read('deploy/helm/sluice/files/alerts.yml')) as { groups: { rules: (Alert | RecordingRule)[] }[] }
  ).groups.flatMap(({ rules }) => rules);

export const alerts = (): Alert[] => rules().filter((rule) => 'alert' in rule);

export const recordings = (): RecordingRule[] => rules().filter((rule) => 'record' in rule);

export const ruleQueries = (): MonitoredQuery[] => [
  ...recordings().map(({ record, expr }) => ({ where: `recording ${record}`, expression: expr, filledIn: [] })),
  ...alerts().map(({ alert, expr, annotations }) => ({
    where: `alert ${alert}`,
    expression: expr,
    filledIn: labelsIn(Object.values(annotations).join(), /\$labels\.(\w+)/g),
  })),
];

export const panelQueries = (): MonitoredQuery[] =>
  (JSON.parse(read('deploy/helm/sluice/files/dashboard.json')) as { panels: Panel[] }).panels.flatMap(
    ({ title, targets = [] }) =>
      targets.map(({ expr, legendFormat }) => ({
        where: `panel ${title}`,
        // Values that Grafana fills in.
        expression: expr.replaceAll('$__rate_interval', '30s').replaceAll(/\$(?:namespace|release)/g, '.*'),
        filledIn: labelsIn(legendFormat, /\{\{(\w+)\}\}/g),
      })),
  );

export const readRunbooksPage = (): string => read('docs/runbooks.md');

const labelsIn = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);
