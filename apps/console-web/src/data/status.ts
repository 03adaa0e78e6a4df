import { type StatusProblem, type StatusReport, type Verdict } from '@sluice/console-api';

/** Parts of a report with their names, in the order of the data flow. */
export const parts = [
  ['gateways', 'Gateways'],
  ['kafka', 'Kafka'],
  ['data', 'Delivery'],
  ['consumers', 'Consumers'],
  ['clickhouse', 'ClickHouse'],
  ['migrations', 'Migrations'],
  ['deadLetters', 'Dead letters'],
] as const satisfies readonly (readonly [StatusProblem['part'], string])[];

export const partNames = Object.fromEntries(parts) as Record<StatusProblem['part'], string>;

/** Whether nothing is known of a part: its lists are empty or old, and its numbers say nothing. */
export const isUnknown = (verdict: Verdict): boolean => verdict === 'unreachable' || verdict === 'unknown';

const rank: Record<Verdict, number> = { unreachable: 0, late: 1, attention: 2, unknown: 3, ok: 4 };

/** Problems, worst first. A part that is not OK but has no named problem is added as one. */
export function problemsOf(report: StatusReport): StatusProblem[] {
  const named = report.problems ?? [];
  const others = parts
    .filter(([part]) => report[part].verdict !== 'ok' && !named.some((problem) => problem.part === part))
    .map(([part]) => ({
      id: part,
      part,
      verdict: report[part].verdict,
      summary: report[part].summary,
      since: null,
      meaning: '',
      action: '',
      runbook: '',
    }));
  return [...named, ...others].sort((a, b) => rank[a.verdict] - rank[b.verdict]);
}
