import { type Result } from './compare.js';
import { survivedOutage } from './scenarios.js';
import { type Bundle } from './site.js';

/** Two tables in Markdown: one with a row for each SDK, one with a row for each scenario. */
export function tableOf(results: readonly Result[], bundles: ReadonlyMap<string, Bundle>): string {
  const names = [...bundles.keys()];
  const scenarios = [...new Set(results.map(({ scenario }) => scenario))];
  const sum = (name: string, count: (result: Result) => number): string =>
    results
      .filter(({ sdk }) => sdk === name)
      .reduce((all, result) => all + count(result), 0)
      .toLocaleString('en');
  const totals = names.map((name) => [
    `${name} ${bundles.get(name)?.version ?? ''}`,
    `${((bundles.get(name)?.bytes ?? 0) / 1_000).toFixed(1)} KB`,
    sum(name, ({ faults }) => faults),
    sum(name, ({ tracked }) => tracked),
    sum(name, ({ lost }) => lost),
    sum(name, ({ doubled }) => doubled),
    sum(name, ({ repeated }) => repeated),
    survivedOutage((scenario) =>
      results.some((one) => one.sdk === name && one.scenario === scenario && one.tracked > 0 && one.lost === 0),
    ),
  ]);
  const cell = (scenario: string, name: string): string => {
    const found = results.find((result) => result.scenario === scenario && result.sdk === name);
    if (!found) return '';
    return `${found.lost} of ${found.tracked}${found.doubled > 0 ? `, ${found.doubled} doubled` : ''}`;
  };
  const rows = scenarios.map((scenario) => [scenario, ...names.map((name) => cell(scenario, name))]);
  return [
    markdown(
      ['SDK', 'size, gz', 'faults met', 'tracked', 'lost', 'doubled', 'repeated on the wire', 'outage survived'],
      totals,
    ),
    markdown(['lost', ...names], rows),
  ].join('\n\n');
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}
