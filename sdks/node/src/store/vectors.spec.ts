import { runVector, vectorFiles } from '@sluice/sdk-contract';
import { afterEach, describe, it } from 'vitest';
import { DirectoryDevice } from './directory-device.spec-support.js';

const filling = {
  apiKey: 'key-of-the-test',
  sourceIdentifier: 'Source000001',
  token: (name: string) => `token-${name}`,
};

let device: DirectoryDevice;
afterEach(() => device.remove());

describe.each([...vectorFiles])('the vectors hold on a directory: %s', (_, vectors) =>
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    device = new DirectoryDevice();
    await runVector(vector, filling, device);
  }),
);
