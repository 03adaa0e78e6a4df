import { catalogVectorFiles, runCatalogVector } from '@sluice/sdk-contract';
import { describe, it } from 'vitest';
import { createCatalog } from './create-catalog.js';

const source = { apiKey: 'key-of-the-test', sourceIdentifier: 'Source000001' };

describe.each([...catalogVectorFiles])('the vectors hold: %s', (_, vectors) =>
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    await runCatalogVector(vector, source, createCatalog);
  }),
);
