import { readdirSync, readFileSync } from 'node:fs';
import { expandCases } from '../cases.js';
import { type Case } from '../vector.js';
import { type CatalogVector } from './catalog-vector.js';

const folder = new URL('../../vectors/catalog/', import.meta.url);

export interface CatalogVectorFile {
  readonly vectors: readonly (CatalogVector & { readonly cases?: readonly Case[] })[];
}

/** The vectors of clients of the catalog by the name of their file. */
export const catalogVectorFiles: ReadonlyMap<string, readonly CatalogVector[]> = new Map(
  readdirSync(folder).map((name) => {
    const { vectors } = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as CatalogVectorFile;
    return [name.replace('.json', ''), vectors.flatMap((vector) => expandCases<CatalogVector>(vector))];
  }),
);
