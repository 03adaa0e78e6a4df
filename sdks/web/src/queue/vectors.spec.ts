import { runVector, vectorFiles } from '@sluice/sdk-contract';
import { describe, it } from 'vitest';
import { type Stores, WebDevice } from './web-device.spec-support.js';

const filling = {
  apiKey: 'key-of-the-test',
  sourceIdentifier: 'Source000001',
  token: (name: string) => `token-${name}`,
};

describe.each<Stores>(['both', 'IndexedDB', 'localStorage'])(
  'the vectors hold on the stores of a browser: %s',
  (stores) => {
    // Without IndexedDB a batch is not divided.
    const vectors = [...vectorFiles]
      .filter(([name]) => stores !== 'localStorage' || name !== 'split')
      .flatMap(([, list]) => list);

    it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
      await runVector(vector, filling, new WebDevice(stores));
    });
  },
);
