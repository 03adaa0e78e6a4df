import { countLost, type StreamBalance } from './balance.js';
import { type FaultClass } from './fault-class.js';
import { type WindowResult } from './run.js';
import { type AlertResult } from './stage.js';

interface Line {
  readonly name: string;
  readonly scope: string;
  faults: number;
  acknowledged: number;
  stored: number;
  lost: number;
  doubled: number;
  reported: number;
  unseen: number;
  pauseMs: number;
  alerts: AlertResult[];
  /** Reason why no alert can fire before the loss. */
  readonly unannounced: string | undefined;
}

const sumBalances = (balances: readonly StreamBalance[], value: (balance: StreamBalance) => number): number =>
  balances.reduce((sum, balance) => sum + value(balance), 0);

/** Formats a line for each class, with the counts of all its windows, and a line for the whole run. */
export function formatReport(results: readonly WindowResult[], whole: readonly StreamBalance[]): string {
  const lines = new Map<FaultClass, Line>();
  for (const { window, done, balances, missingLetters, alerts, pauses } of results) {
    for (const faultClass of new Set(window.classes)) {
      const line = lines.get(faultClass) ?? emptyLine(faultClass.name, faultClass.scope, faultClass.unannounced);
      lines.set(faultClass, line);
      line.faults += done.filter((fault) => fault.faultClass === faultClass).length;
      add(line, balances, missingLetters.length);
      line.pauseMs = Math.max(line.pauseMs, pauses.get(faultClass) ?? 0);
      line.alerts.push(...alerts);
    }
  }
  const total = emptyLine('all', '');
  total.faults = results.reduce((sum, { done }) => sum + done.length, 0);
  add(total, whole, results.at(-1)?.missingLetters.length ?? 0);
  total.pauseMs = Math.max(0, ...[...lines.values()].map(({ pauseMs }) => pauseMs));
  const sorted = [...lines.values()].sort((a, b) => a.scope.localeCompare(b.scope) || a.name.localeCompare(b.name));
  return table([...sorted, total]);
}

const emptyLine = (name: string, scope: string, unannounced?: string): Line => ({
  name,
  scope,
  unannounced,
  alerts: [],
  faults: 0,
  acknowledged: 0,
  stored: 0,
  lost: 0,
  doubled: 0,
  reported: 0,
  unseen: 0,
  pauseMs: 0,
});

function add(line: Line, balances: readonly StreamBalance[], missingLetters: number): void {
  line.acknowledged += sumBalances(balances, ({ acknowledged }) => acknowledged);
  line.stored += sumBalances(balances, ({ stored }) => stored);
  line.lost += sumBalances(balances, countLost) + missingLetters;
  line.doubled += sumBalances(balances, ({ doubled }) => doubled);
  line.reported += sumBalances(balances, ({ reported }) => reported);
  line.unseen += sumBalances(balances, ({ unseen }) => unseen);
}

const heads = [
  'class',
  'faults injected',
  'faults',
  'acknowledged',
  'stored',
  'lost',
  'doubled',
  'reported',
  'unseen',
  'longest pause of others',
  'alert before',
  'alert after',
];

/** The alerts of a line and whether each fired whenever it had to. */
function formatAlerts(line: Line, when: AlertResult['when']): string {
  const names = new Set(line.alerts.filter((alertResult) => alertResult.when === when).map(({ alert }) => alert));
  const texts = [...names].map((name) => {
    const alertResults = line.alerts.filter((alertResult) => alertResult.alert === name && alertResult.when === when);
    const fired = alertResults.filter(({ hasFired }) => hasFired).length;
    return fired === alertResults.length
      ? `yes, ${name}`
      : `NO, ${name} missed ${alertResults.length - fired} of ${alertResults.length}`;
  });
  return texts.join('; ') || '-';
}

function table(lines: readonly Line[]): string {
  const cells = lines.map((line) => {
    const { name, scope, faults, acknowledged, stored, lost, doubled, reported, unseen, pauseMs } = line;
    const counts = [faults, acknowledged, stored, lost, doubled, reported, unseen].map(String);
    const before = line.unannounced ?? formatAlerts(line, 'before');
    return [
      name,
      scope,
      ...counts,
      pauseMs > 0 ? `${(pauseMs / 1_000).toFixed(1)} s` : '-',
      before,
      formatAlerts(line, 'after'),
    ];
  });
  const widths = heads.map((head, i) => Math.max(head.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const isText = (i: number): boolean => i < 2 || i > 9;
  const write = (row: readonly string[]): string =>
    row.map((cell, i) => (isText(i) ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  return [heads, ...cells].map(write).join('\n');
}
