import { expect, it } from 'vitest';
import { makeConfirmation, makeIntent, parseMapVersion, findStart } from '../protocol/committed.js';
import { withOwner, parseOwner } from './owner.js';

const log = { low: '0', high: '200' };

it('names the owner in confirmations, from which start and map are still read', () => {
  const plain = withOwner(makeConfirmation(60n), 'a1');
  const onShards = withOwner(makeConfirmation(60n, 7), 'a1');
  expect([plain.metadata, onShards.metadata]).toEqual(['owner=a1', 'owner=a1 map=7']);
  expect([plain, onShards].map(({ metadata }) => parseOwner(metadata))).toEqual(['a1', 'a1']);
  expect([plain, onShards].map(parseMapVersion)).toEqual([0, 7]);
  expect(findStart(onShards, log)).toEqual(findStart(makeConfirmation(60n, 7), log));
});

it('names any database', () => {
  for (const owner of ['sluice', 'two words', 'map=7', 'ünïcode.and.dots'])
    expect(parseOwner(withOwner(makeConfirmation(60n, 7), owner).metadata)).toBe(owner);
});

it('leaves intents as they are, which a process of an earlier version must be able to read', () => {
  const intent = makeIntent({ first: '60', last: '79', timestamp: '5' }, 7);
  expect(withOwner(intent, 'a1')).toEqual(intent);
  expect(parseOwner(intent.metadata)).toBeUndefined();
  expect([null, '', 'map=7', 'the owner=a1'].map(parseOwner)).toEqual([undefined, undefined, undefined, undefined]);
});
