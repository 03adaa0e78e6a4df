type Json = unknown;

const number: Readonly<Record<string, number>> = { NaN, Infinity, '-Infinity': -Infinity };

/**
 * Expands the short forms of README.md, "Short forms". They keep long texts, and values that JSON does not have, out of
 * the vectors.
 */
export function expand(value: Json, fill: (name: string) => string): Json {
  if (typeof value === 'string') return value.replace(/\{\{([\w:]+)\}\}/g, (_, name: string) => fill(name));
  if (Array.isArray(value)) return value.map((item) => expand(item, fill));
  if (typeof value !== 'object' || value === null) return value;
  const form = value as Record<string, Json>;
  if ('$repeat' in form) return String(form['$repeat']).repeat(Number(form['times']));
  if ('$items' in form) return Array.from({ length: Number(form['times']) }, () => expand(form['$items'], fill));
  if ('$numbered' in form) return listNumbered(form);
  if ('$members' in form) {
    const names = Array.from({ length: Number(form['times']) }, (_, index) => `${String(form['$members'])}${index}`);
    return Object.fromEntries(names.map((name) => [name, 1]));
  }
  if ('$nested' in form) return nest(Number(form['$nested']), form['in'] === 'arrays');
  if ('$number' in form) return number[String(form['$number'])] ?? Number(form['$number']);
  if ('$units' in form) return String.fromCharCode(...(form['$units'] as number[]));
  return Object.fromEntries(
    Object.entries(form).map(([name, member]) => [String(expand(name, fill)), expand(member, fill)]),
  );
}

/** `{ $numbered: 'e', from: 20, times: 2 }` is `['e20', 'e21']`. */
const listNumbered = ({ $numbered, from = 0, times }: Record<string, Json>): Json =>
  Array.from({ length: Number(times) }, (_, index) => `${String($numbered)}${Number(from) + index}`);

const nest = (levels: number, inArrays: boolean): Json =>
  levels === 0 ? 1 : inArrays ? [nest(levels - 1, true)] : { a: nest(levels - 1, false) };
