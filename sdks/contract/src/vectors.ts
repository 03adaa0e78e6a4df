import { readdirSync, readFileSync } from 'node:fs';
import { expandCases } from './cases.js';
import { type Vector, type VectorFile } from './vector.js';

const folder = new URL('../vectors/', import.meta.url);

/** SDKs in other languages; the TypeScript runner skips vectors that only these run. */
const otherLanguages = ['android', 'ios'];
const isOurs = ({ platform }: Vector): boolean => !platform || platform.some((name) => !otherLanguages.includes(name));

/** The vectors of the TypeScript SDKs by the name of their file. */
export const vectorFiles: ReadonlyMap<string, readonly Vector[]> = new Map(
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => {
      const { vectors } = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as VectorFile;
      return [name.replace('.json', ''), vectors.flatMap(expandCases).filter(isOurs)];
    }),
);
