import { expect, it } from 'vitest';
import { confirmationAt, intentOf, mapOf, startOf } from '../protocol/committed.js';
import { ownedBy, ownerOf } from './owner.js';

const log = { low: '0', high: '200' };

it('names the owner in confirmations, from which start and map are still read', () => {
  const plain = ownedBy(confirmationAt(60n), 'a1');
  const onShards = ownedBy(confirmationAt(60n, 7), 'a1');
  expect([plain.metadata, onShards.metadata]).toEqual(['owner=a1', 'owner=a1 map=7']);
  expect([plain, onShards].map(({ metadata }) => ownerOf(metadata))).toEqual(['a1', 'a1']);
  expect([plain, onShards].map(mapOf)).toEqual([0, 7]);
  expect(startOf(onShards, log)).toEqual(startOf(confirmationAt(60n, 7), log));
});

it('names any database', () => {
  for (const owner of ['sluice', 'two words', 'map=7', 'ünïcode.and.dots'])
    expect(ownerOf(ownedBy(confirmationAt(60n, 7), owner).metadata)).toBe(owner);
});

it('leaves intents as they are, which a process of an earlier version must be able to read', () => {
  const intent = intentOf({ first: '60', last: '79', timestamp: '5' }, 7);
  expect(ownedBy(intent, 'a1')).toEqual(intent);
  expect(ownerOf(intent.metadata)).toBeUndefined();
  expect([null, '', 'map=7', 'the owner=a1'].map(ownerOf)).toEqual([undefined, undefined, undefined, undefined]);
});
