import { describe, it } from 'vitest';
import { runVector } from './run-vector.js';
import { vectorFiles } from './vectors.js';

const filling = {
  apiKey: 'key-of-the-test',
  sourceIdentifier: 'Source000001',
  token: (name: string) => `token-${name}`,
};

describe.each([...vectorFiles])('%s', (_, vectors) =>
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    await runVector(vector, filling);
  }),
);
