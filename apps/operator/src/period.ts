import { OperationError } from '@sluice/operations';

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A number of seconds above 0. @throws OperationError that names the option. */
export function parseSeconds(option: string, text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0)) throw new OperationError(`${option} must be a number of seconds above 0`);
  return seconds;
}

/** `90s`, `10m`, `6h` or `7d` in milliseconds. @throws OperationError that names the option. */
export function parsePeriod(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined || Number(count) === 0) {
    throw new OperationError(`${option} must be a time like 90s, 10m, 6h or 7d; it is '${text}'`);
  }
  return Number(count) * unitsMs[unit as keyof typeof unitsMs];
}
