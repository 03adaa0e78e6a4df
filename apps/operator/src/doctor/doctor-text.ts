import { type CheckResult, type DoctorReport } from '@sluice/operations';
import { toOneLine } from '../terminal-text.js';

/** Formats the report for one screen: a line for each check, then what to do about those that are not well. */
export function formatDoctor({ checks, version, at: time, verdict }: DoctorReport): string {
  const width = Math.max(...checks.map(({ check }) => check.length));
  const lines = checks.map(
    (result) => `  ${result.check.padEnd(width)}  ${verdictText(result).padEnd(9)}  ${toOneLine(result.found)}`,
  );
  const explained = checks.filter((result) => result.verdict !== 'ok').map(explain);
  const head = `Sluice ${version}, ${time.slice(0, 19).replace('T', ' ')} UTC: ${verdict === 'ok' ? 'all is well' : verdict}`;
  return [head, lines.join('\n'), ...explained].join('\n\n');
}

const verdictText = ({ verdict }: CheckResult): string => (verdict === 'ok' ? verdict : verdict.toUpperCase());

const explain = ({ check, tested, meaning, action, ...result }: CheckResult): string =>
  [
    check,
    `  tested:      ${toOneLine(tested)}`,
    `  found:       ${toOneLine(result.found)}`,
    ...(meaning === '' ? [] : [`  it means:    ${toOneLine(meaning)}`]),
    ...(action === '' ? [] : [`  what to do:  ${toOneLine(action)}`]),
  ].join('\n');
