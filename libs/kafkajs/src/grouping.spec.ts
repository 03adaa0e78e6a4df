import { createRequire } from 'node:module';
import fc from 'fast-check';
import type { Message, PartitionMetadata } from 'kafkajs';
import { expect, it } from 'vitest';
import { groupByPartition } from './grouping.js';

// kafkajs' own parts, as they are without ours.
const require = createRequire(import.meta.url);
const groupOriginally = require('kafkajs/src/producer/groupMessagesPerPartition.js') as typeof groupByPartition;
type Partitioner = Parameters<typeof groupByPartition>[0]['partitioner'];
const { DefaultPartitioner } = require('kafkajs/src/producer/partitioners') as {
  DefaultPartitioner: () => Partitioner;
};

const message = fc.record({
  key: fc.string({ maxLength: 8 }),
  value: fc.string({ maxLength: 8 }),
  partition: fc.option(fc.nat(11), { nil: undefined }),
}) as fc.Arbitrary<Message>;

it('groups messages as kafkajs does, whether they name a partition or only have a key', () =>
  fc.assert(
    fc.property(fc.array(message, { maxLength: 200 }), fc.nat(12), (messages, partitions) => {
      const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({ partitionId, leader: 1 }));
      const toGroup = { topic: 't', partitionMetadata: partitionMetadata as PartitionMetadata[], messages };
      const [ours, theirs] = [groupByPartition, groupOriginally].map((group) =>
        group({ ...toGroup, partitioner: DefaultPartitioner() }),
      );
      expect(ours).toEqual(theirs);
    }),
  ));

it('asks the partitioner only for messages without a partition', () => {
  const [a, b, c] = [1, 0, 1].map((partition, i) => ({ partition, value: String(i) }));
  const d = { value: 'names none' };
  const partitionMetadata = [{ partitionId: 0 }] as PartitionMetadata[];
  const grouped = { topic: 't', partitionMetadata, messages: [a, b, c, d] as Message[], partitioner: () => 7 };
  expect(groupByPartition(grouped)).toEqual({ 0: [b], 1: [a, c], 7: [d] });
});
