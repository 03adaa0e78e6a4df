import Table from 'cli-table3';

const borders = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
  'middle',
];

const borderless = {
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
  chars: Object.fromEntries(borders.map((border) => [border, ''])),
};

/** Formats rows as aligned columns, separated by blanks only. */
export function formatGrid(head: string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({ head, ...borderless });
  table.push(...rows.map((row) => [...row]));
  return table.toString().replace(/ +$/gm, '');
}

/** Formats labels and values in two columns. */
export function formatFields(...rows: readonly (readonly [label: string, value: string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`).join('\n');
}

/** `2026-01-31 12:00:00 UTC` */
export const formatTime = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;

/** Replaces control characters in text from others, because they would control the terminal. */
export const toOneLine = (text: string): string => text.replace(/\p{Cc}/gu, ' ');
