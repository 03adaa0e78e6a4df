import { readdirSync, readFileSync } from 'node:fs';
import { type Vector } from './vector.js';

const folder = new URL('../vectors/', import.meta.url);

/** All vectors by the name of their file. */
export const vectorFiles: ReadonlyMap<string, readonly Vector[]> = new Map(
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => {
      const { vectors } = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as { vectors: Vector[] };
      return [name.replace('.json', ''), vectors];
    }),
);
