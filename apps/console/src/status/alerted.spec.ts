import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documentedMetrics } from '@sluice/testing';
import { describe, expect, it } from 'vitest';
import { advice } from './advice.js';
import { type Situation, situations } from './alerted.spec-support.js';

// The overview and the alerts agree (docs/decisions/0123-verdicts-and-alerts.md).
// `tests/e2e/src/observability/metrics.spec.ts` holds docs/metrics.md to what services export.

const rulesFile = fileURLToPath(new URL('../../../../deploy/helm/sluice/files/alerts.yml', import.meta.url));
const rules = new Map(
  readFileSync(rulesFile, 'utf8')
    .split(/^ +- (?=alert: |record: )/m)
    .map((rule) => [/^(?:alert|record): (\S+)/.exec(rule)?.[1] ?? '', rule] as const),
);
const alerted = Object.entries(situations).filter(
  (entry): entry is [keyof typeof advice, Situation] => typeof entry[1] !== 'string',
);
const documented = new Map(documentedMetrics().map((metric) => [metric.name, metric]));
const ofTarget = ['job', 'instance'];

const readSeries = (series: string): { name: string; labels: string[] } => ({
  name: series.replace(/\{.*/, ''),
  labels: [...series.matchAll(/(\w+)=/g)].map(([, label = '']) => label),
});

describe.each(alerted)('%s', (kind, { series, alerts }) => {
  it('is a situation of metrics and labels that services export', () => {
    for (const { name, labels } of Object.keys(series).map(readSeries)) {
      const metric = documented.get(name.replace(/_(?:bucket|sum|count)$/, '')) ?? documented.get(name);
      if (name !== 'up') expect(metric, name).toBeDefined();
      expect([...(metric?.labels ?? []), ...ofTarget]).toEqual(expect.arrayContaining(labels));
    }
  });

  it('has an alert, and the runbook of an alert', () => {
    expect(alerts).not.toEqual([]);
    for (const alert of alerts) expect([...rules.keys()]).toContain(alert);
    const runbooks = [...rules.values()].flatMap((rule) => /runbook_url: (\S+)/.exec(rule)?.[1] ?? []);
    expect(runbooks).toContain(advice[kind].runbook);
  });
});

it('a source is refused and silent for the overview as for its alerts', () => {
  const verdicts = readFileSync(fileURLToPath(new URL('source-verdicts.ts', import.meta.url)), 'utf8');
  const readNumber = (name: string): string =>
    new RegExp(`${name} = ([\\d_]+);`).exec(verdicts)?.[1]?.replaceAll('_', '') ?? '';
  expect(rules.get('SourceRefused')).toContain(`[15m])) > ${readNumber('minRefused')}\n`);
  expect(rules.get('SourceSilent')).toContain(`[1h] offset 1d)) > ${readNumber('minYesterday')}\n`);
});

const isInstalled = spawnSync('promtool', ['--version']).status === 0;
const scope = 'namespace="local",release="sluice"';
const withScope = (series: string): string =>
  series.includes('{') ? series.replace('{', `{${scope},`) : `${series}{${scope}}`;
const processes = ['gateway', 'tracking', 'catalog', 'push-interaction'];

/** A unit test of promtool: the situation, next to processes that are well, makes these alerts fire and no others. */
function buildTest(name: string, { series, alerts, withinMinutes = 30 }: Situation): object {
  const wellProcesses = processes.filter(
    (job) => !Object.keys(series).some((key) => key.startsWith(`up{job="${job}"`)),
  );
  const allSeries = { ...Object.fromEntries(wellProcesses.map((job) => [`up{job="${job}"}`, '1x3000'])), ...series };
  return {
    name,
    interval: '1m',
    input_series: Object.entries(allSeries).map(([key, values]) => ({ series: withScope(key), values })),
    promql_expr_test: [
      {
        // DataBudgetLow follows each minute of DataBudgetBurn.
        expr: 'group by (alertname) (ALERTS{alertstate="firing",alertname!="DataBudgetLow"})',
        eval_time: `${withinMinutes}m`,
        exp_samples: alerts.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  };
}

/** Runs the tests on the shipped rules, at their own intervals or in steps of ten minutes. @throws with what failed */
function runPromtool(tests: readonly object[], isCoarse: boolean): void {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-verdicts-'));
  try {
    const shipped = readFileSync(rulesFile, 'utf8');
    writeFileSync(
      join(folder, 'alerts.yml'),
      isCoarse ? shipped.replaceAll(/interval: \w+/g, 'interval: 10m') : shipped,
    );
    const file = { rule_files: ['alerts.yml'], evaluation_interval: isCoarse ? '10m' : '1m', tests };
    // JSON is valid YAML.
    writeFileSync(join(folder, 'test.yml'), JSON.stringify(file));
    execFileSync('promtool', ['test', 'rules', join(folder, 'test.yml')], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    throw new Error((error as { stderr?: string }).stderr ?? 'promtool failed', { cause: error });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// Runs only where Prometheus is installed, as in the workflow that checks the alerts.
describe.runIf(isInstalled)('each alert fires in its situation, and no other', () => {
  const isLong = ({ withinMinutes = 0 }: Situation): boolean => withinMinutes > 60;

  it('within the hour, and none while all is well', () => {
    const tests = alerted
      .filter(([, situation]) => !isLong(situation))
      .map(([kind, situation]) => buildTest(kind, situation));
    runPromtool([buildTest('all is well', { series: {}, alerts: [] }), ...tests], false);
  }, 120_000);

  it('within days', () => {
    runPromtool(
      alerted.filter(([, situation]) => isLong(situation)).map(([kind, situation]) => buildTest(kind, situation)),
      true,
    );
  }, 120_000);
});
