import { type BenchFigure } from './report.js';

const head = ['', 'sluice', 'floor', 'ratio', 'of rounds', 'unit'];

/** Formats the figures as aligned text, with one block per group. */
export function formatTable(figures: readonly BenchFigure[]): string {
  const groups = Map.groupBy(figures, ({ group }) => group);
  const cells = [head, ...figures.map(toCells)];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const blocks = [...groups].map(([group, rows]) => [group, ...rows.map((row) => line(toCells(row), widths))]);
  return [line(head, widths), ...blocks.flat()].join('\n');
}

function toCells({ measure, unit, sluice, floor, ratio, ratios }: BenchFigure): string[] {
  const spread = (ratios ?? []).map((pairRatio) => pairRatio.toFixed(2)).join(' - ');
  return [`  ${measure}`, formatNumber(sluice), formatNumber(floor), ratio?.toFixed(2) ?? '', spread, unit];
}

/** Aligns names and units to the left, numbers to the right. */
function line(cells: readonly string[], widths: readonly number[]): string {
  const last = cells.length - 1;
  const aligned = cells.map((cell, column) => {
    const width = widths[column] ?? 0;
    return column === 0 || column === last ? cell.padEnd(width) : cell.padStart(width);
  });
  return aligned.join('  ').trimEnd();
}

/** Formats three significant digits, and rounds numbers from 100 on to whole ones: 0.123, 1.23, 12.3, 123, 12,345. */
export function formatNumber(value: number | undefined): string {
  if (value === undefined) return '';
  return Math.abs(value) >= 100
    ? Math.round(value).toLocaleString('en-US')
    : value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}
