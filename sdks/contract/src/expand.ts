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
  const given = value as Record<string, Json>;
  if ('$repeat' in given) return String(given['$repeat']).repeat(Number(given['times']));
  if ('$items' in given) return Array.from({ length: Number(given['times']) }, () => expand(given['$items'], fill));
  if ('$numbered' in given) return numbered(given);
  if ('$members' in given) {
    const names = Array.from({ length: Number(given['times']) }, (_, at) => `${String(given['$members'])}${at}`);
    return Object.fromEntries(names.map((name) => [name, 1]));
  }
  if ('$nested' in given) return nested(Number(given['$nested']), given['in'] === 'arrays');
  if ('$number' in given) return number[String(given['$number'])] ?? Number(given['$number']);
  if ('$units' in given) return String.fromCharCode(...(given['$units'] as number[]));
  return Object.fromEntries(
    Object.entries(given).map(([name, member]) => [String(expand(name, fill)), expand(member, fill)]),
  );
}

/** `{ $numbered: 'e', from: 20, times: 2 }` is `['e20', 'e21']`. */
const numbered = ({ $numbered, from = 0, times }: Record<string, Json>): Json =>
  Array.from({ length: Number(times) }, (_, at) => `${String($numbered)}${Number(from) + at}`);

const nested = (levels: number, inArrays: boolean): Json =>
  levels === 0 ? 1 : inArrays ? [nested(levels - 1, true)] : { a: nested(levels - 1, false) };
