import Table from 'cli-table3';

const borders = [
  ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
  ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
];

const borderless = {
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
  chars: Object.fromEntries(borders.map((border) => [border, ''])),
};

/** Formats rows as aligned columns, separated by blanks only. */
export function grid(head: string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({ head, ...borderless });
  table.push(...rows.map((row) => [...row]));
  return table.toString().replace(/ +$/gm, '');
}

/** Formats labels and values in two columns. */
export function fields(...rows: readonly (readonly [label: string, value: string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`).join('\n');
}

/** `2026-01-31 12:00:00 UTC` */
export const shortTime = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a duration in its two largest units: `2 d 3 h`, `4 min 51 s`, `12 s`. */
export function duration(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [name, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 || (name === 's' && parts.length === 0)) parts.push(`${count} ${name}`);
    else if (parts.length > 0) break;
  }
  return parts.slice(0, 2).join(' ');
}

/** Replaces control characters in text from others, because they would control the terminal. */
export const onOneLine = (text: string): string => text.replace(/\p{Cc}/gu, ' ');
