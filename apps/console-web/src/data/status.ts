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
  ['sources', 'Sources'],
] as const satisfies readonly (readonly [StatusProblem['part'], string])[];

export const partNames = Object.fromEntries(parts) as Record<StatusProblem['part'], string>;

/** Whether nothing is known of a part: its lists are empty or old, and its numbers say nothing. */
export const isUnknown = (verdict: Verdict): boolean => verdict === 'unreachable' || verdict === 'unknown';

/** Parts that a problem names: its own, and those of its consequences. */
export const listNamedParts = ({ part, consequences = [] }: StatusProblem): StatusProblem['part'][] => [
  part,
  ...consequences.map((consequence) => consequence.part),
];

/** Problems in the order of the console, which is worst first. A part that is not OK but is not named is added as one. */
export function listProblems(report: StatusReport): StatusProblem[] {
  const namedProblems = report.problems ?? [];
  const namedParts = new Set(namedProblems.flatMap(listNamedParts));
  const unnamedProblems = parts
    .filter(([part]) => report[part].verdict !== 'ok' && !namedParts.has(part))
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
  return [...namedProblems, ...unnamedProblems];
}
