import { Partitioners } from '@sluice/kafkajs';
import { expect, it } from 'vitest';
import { partitionForKey } from '@sluice/contracts';

it('chooses the same partition as kafkajs and the Java client', () => {
  const partitionMetadata = Array.from({ length: 12 }, (_, partitionId) => ({
    partitionId,
    partitionErrorCode: 0,
    leader: 1,
    replicas: [1],
    isr: [1],
  }));
  const reference = Partitioners.DefaultPartitioner();
  const keys = Array.from({ length: 500 }, (_, i) => 'abcDEF123456:user-ü-'.slice(0, i % 21) + String(i * 7919));

  const ours = keys.map((key) => partitionForKey(Buffer.from(key), 12));
  const theirs = keys.map((key) => reference({ topic: 't', partitionMetadata, message: { key, value: '' } }));

  expect(ours).toEqual(theirs);
  expect(new Set(ours).size).toBe(12);
});
