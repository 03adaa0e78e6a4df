import { type Case } from './vector.js';

/** An entry of a file: a vector, or the form of one vector for each case. */
type Entry<V extends object> = V & { readonly cases?: readonly Case[] };

/** Returns the vectors that an entry of a file stands for: itself, or one for each case (README.md, "Cases"). */
export const expandCases = <V extends object>({ cases, ...vector }: Entry<V>): V[] =>
  cases?.map((vectorCase) => fillCase(vector, vectorCase) as V) ?? [vector as unknown as V];

function fillCase(value: unknown, vectorCase: Case): unknown {
  if (typeof value === 'string') return value.replace('{{case}}', vectorCase.case);
  if (Array.isArray(value)) return value.map((item) => fillCase(item, vectorCase));
  if (typeof value !== 'object' || value === null) return value;
  if ('$case' in value) return requireMember(vectorCase, String(value.$case));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillCase(member, vectorCase)]));
}

function requireMember(vectorCase: Case, name: string): unknown {
  if (!(name in vectorCase)) throw new Error(`the case "${vectorCase.case}" has no ${name}`);
  return vectorCase[name];
}
