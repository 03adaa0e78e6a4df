import { runVector, vectorFiles } from '@sluice/sdk-contract';
import { describe, it } from 'vitest';
import { FakeStorage, SlowStorage } from './fake-storages.spec-support.js';
import { KvDevice } from './kv-device.spec-support.js';

const filling = {
  apiKey: 'key-of-the-test',
  sourceIdentifier: 'Source000001',
  token: (name: string) => `token-${name}`,
};

const storages: readonly [name: string, make: () => FakeStorage][] = [
  ['synchronous', () => new FakeStorage()],
  ['asynchronous, slow, in any order', () => new SlowStorage(1)],
  ['asynchronous, and a third of the writes fails after it was made', () => new SlowStorage(2, 0.33)],
];

describe.each(storages)('the vectors hold on a store of texts by name: %s', (_, make) => {
  const vectors = [...vectorFiles].flatMap(([, list]) => list);
  const ours = vectors.filter(({ platform }) => !platform || platform.includes('react-native'));

  it.each(ours.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    await runVector(vector, filling, new KvDevice(make()));
  });
});
