import { invalid } from './console-error.js';

type Fields = Record<string, unknown>;

/** The members of a body or a query. @throws ConsoleError 400 when it is not an object. */
export function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('The body must be an object.');
  return value as Fields;
}

export function textOf(fields: Fields, name: string, max = 1_000): string {
  const value = optionalText(fields, name, max);
  if (value === undefined || value.trim() === '') throw invalid(`${name} is required.`);
  return value;
}

export function optionalText(fields: Fields, name: string, max = 1_000): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' || value.length > max)
    throw invalid(`${name} must be text of at most ${max} characters.`);
  return value;
}

export function oneOf<T extends string>(fields: Fields, name: string, choices: readonly T[]): T {
  const found = choices.find((one) => one === fields[name]);
  if (found === undefined) throw invalid(`${name} must be one of ${choices.join(', ')}.`);
  return found;
}

export function optionalFlag(fields: Fields, name: string): boolean | undefined {
  const value = fields[name];
  if (value === undefined || typeof value === 'boolean') return value;
  throw invalid(`${name} must be true or false.`);
}

/** A whole number of a query or a body, within its limits. */
export function countOf(fields: Fields, name: string, { fallback, max }: { fallback: number; max: number }): number {
  const value = fields[name];
  if (value === undefined || value === '') return fallback;
  const count = Number(value);
  if (!Number.isSafeInteger(count) || count < 1 || count > max) throw invalid(`${name} must be 1 to ${max}.`);
  return count;
}

export function textsOf(
  fields: Fields,
  name: string,
  { max, maxLength }: { max: number; maxLength: number },
): string[] {
  const value = fields[name];
  const isList = Array.isArray(value) && value.length <= max;
  if (isList && value.every((one): one is string => typeof one === 'string' && one.length <= maxLength)) return value;
  throw invalid(`${name} must be a list of at most ${max} texts.`);
}

/** A range of time; an hour until now by default. */
export interface Range {
  from: Date;
  to: Date;
}

const hourMs = 3_600_000;
const maxDays = 92;

/** @throws ConsoleError 400 unless the times are ISO 8601, and the range is positive and at most a quarter of a year. */
export function rangeOf(fields: Fields, fallbackMs = hourMs): Range {
  const to = timeOf(fields, 'to') ?? new Date();
  const from = timeOf(fields, 'from') ?? new Date(to.getTime() - fallbackMs);
  const ms = to.getTime() - from.getTime();
  if (ms <= 0 || ms > maxDays * 24 * hourMs) throw invalid(`from must be before to, by at most ${maxDays} days.`);
  return { from, to };
}

export function timeOf(fields: Fields, name: string): Date | undefined {
  const text = optionalText(fields, name, 40);
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? new Date(text) : new Date(NaN);
  if (Number.isNaN(time.getTime())) throw invalid(`${name} must be a time like 2026-01-31T12:00:00Z.`);
  return time;
}
