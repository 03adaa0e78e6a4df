import { OperatorError } from '../errors.js';

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `90s`, `10m`, `6h` or `7d` in milliseconds. @throws OperatorError that names the option. */
export function parseDuration(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined || Number(count) === 0) {
    throw new OperatorError(`${option} must be a time like 90s, 10m, 6h or 7d; it is '${text}'`);
  }
  return Number(count) * unitMs[unit as keyof typeof unitMs];
}
