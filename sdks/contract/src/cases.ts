import { type Case, type Vector, type VectorFile } from './vector.js';

/** Returns the vectors that an entry of a file stands for: itself, or one for each case (README.md, "Cases"). */
export const expandCases = ({ cases, ...vector }: VectorFile['vectors'][number]): Vector[] =>
  cases?.map((vectorCase) => fillCase(vector, vectorCase) as Vector) ?? [vector];

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
