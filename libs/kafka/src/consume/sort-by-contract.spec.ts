import { header, partitionForKey } from '@sluice/contracts';
import { expect, it } from 'vitest';
import { type Block, type StoredMessage } from '../protocol/block.js';
import { sortByContract } from './sort-by-contract.js';

const topic = { name: 'test', contract: 'test.v1' };
const partition = 0;

/** Keys that belong to partition 0 of so many partitions, and to another partition of twice as many. */
const makeKeys = (partitions: number, count: number): Buffer[] => {
  const keys = Array.from({ length: 1_000 }, (_, i) => Buffer.from(`source:user-${i}`));
  return keys
    .filter(
      (key) => partitionForKey(key, partitions) === partition && partitionForKey(key, 2 * partitions) !== partition,
    )
    .slice(0, count);
};

const aMessage = (offset: number, key: Buffer | null, mark?: string): StoredMessage => ({
  key,
  value: Buffer.from('{"a":1}'),
  headers: { [header.contract]: topic.contract, ...(mark && { [header.possibleRepeat]: mark }) },
  offset: String(offset),
  timestamp: '1',
});

const aBlock = (messages: StoredMessage[], partitions?: number): Block => ({
  id: 'block',
  topic: topic.name,
  partition,
  messages,
  replay: false,
  partitions,
});

const suspects = (block: Block): string[] => sortByContract(block, topic).possibleRepeats.map(({ offset }) => offset);

it('treats every row as a possible repeat when the block was produced under fewer partitions', () => {
  const messages = makeKeys(12, 3).map((key, i) => aMessage(i, key));
  expect(suspects(aBlock(messages, 24))).toEqual(['0', '1', '2']);
});

it('finds one message of another number of partitions among the first sixteen with a key', () => {
  const [odd = null] = makeKeys(12, 1);
  const common = makeKeys(24, 15).map((key, i) => aMessage(i + 1, key));
  const block = [aMessage(0, null), ...common, aMessage(16, odd)];
  expect(suspects(aBlock(block, 24))).toHaveLength(17);
});

it('is not misled by many messages of one key whose partition is the same under both numbers', () => {
  const [odd = null] = makeKeys(12, 1);
  const [common = null] = makeKeys(24, 1);
  const block = [...Array.from({ length: 600 }, (_, i) => aMessage(i, common)), aMessage(600, odd)];
  expect(suspects(aBlock(block, 24))).toHaveLength(601);
});

it('finds messages of a producer that has not learnt of the new partitions among those of others', () => {
  const [odd = null] = makeKeys(12, 1);
  const common = makeKeys(24, 30);
  const keys = Array.from({ length: 2_000 }, (_, i) => (i % 4 === 3 ? odd : (common[i % 30] ?? null)));
  const block = [...common, ...keys].map((key, i) => aMessage(i, key));
  expect(suspects(aBlock(block, 24))).toHaveLength(block.length);
});

it('treats only marked rows as possible repeats when the number of partitions is the same or unknown', () => {
  const messages = makeKeys(12, 3).map((key, i) => aMessage(i, key, i === 1 ? '1' : undefined));
  expect(suspects(aBlock(messages, 12))).toEqual(['1']);
  expect(suspects(aBlock(messages))).toEqual(['1']);
});

it('ignores messages without a key, which can lie in any partition', () =>
  expect(suspects(aBlock([aMessage(0, null), aMessage(1, Buffer.alloc(0))], 24))).toEqual([]));

it('stores earlier contracts of a topic as well, and refuses newer ones', () => {
  const next = { ...topic, contract: 'test.v2', earlierContracts: ['test.v1'] };
  const block = aBlock([aMessage(0, null)]);

  expect(sortByContract(block, next).rows).toHaveLength(1);
  expect(sortByContract(block, { ...topic, contract: 'test.v2' }).rejections).toMatchObject([
    { reason: 'unknown contract test.v1' },
  ]);
});
