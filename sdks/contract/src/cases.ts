import { type Case, type Vector, type VectorFile } from './vector.js';

/** Returns the vectors that an entry of a file stands for: itself, or one for each case (README.md, "Cases"). */
export const vectorsOf = ({ cases, ...vector }: VectorFile['vectors'][number]): Vector[] =>
  cases?.map((one) => filled(vector, one) as Vector) ?? [vector];

function filled(value: unknown, given: Case): unknown {
  if (typeof value === 'string') return value.replace('{{case}}', given.case);
  if (Array.isArray(value)) return value.map((item) => filled(item, given));
  if (typeof value !== 'object' || value === null) return value;
  if ('$case' in value) return memberOf(given, String(value.$case));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, given)]));
}

function memberOf(given: Case, name: string): unknown {
  if (!(name in given)) throw new Error(`the case "${given.case}" has no ${name}`);
  return given[name];
}
