import { expect, it } from 'vitest';
import { isOfOtherLog, findLosses, findStart } from './committed.js';

const log = { low: '100', high: '200' };

it.each([
  ['a commit within the log', '150', null, []],
  ['no commit', '-1', null, []],
  ['the offset that kafkajs commits when it is out of range', '-2', null, []],
  ['a commit at the beginning of the log', '100', null, []],
  ['unread messages that retention has deleted', '60', null, [[60n, 100n, 'waiting']]],
  [
    'an intent that retention has passed',
    '60',
    'block:79@5',
    [
      [60n, 80n, 'under way'],
      [80n, 100n, 'waiting'],
    ],
  ],
  ['an intent that ends where the log begins', '60', 'block:99@5', [[60n, 100n, 'under way']]],
  ['an intent whose block is partly left', '60', 'block:120@5', [[60n, 100n, 'under way']]],
  ['a commit beyond the log', '300', null, []],
  ['an intent that ends beyond the log', '60', 'block:200@5', []],
])('finds what retention took: %s', (_, offset, metadata, losses) =>
  expect(findLosses({ offset, metadata }, log).map(({ from, to, state }) => [from, to, state])).toEqual(losses),
);

it('must confirm that it has passed a loss by retention, so that the loss counts once', () => {
  expect(findStart({ offset: '60', metadata: null }, log)).toMatchObject({ position: 100n, isSkipped: true });
  expect(findStart({ offset: '60', metadata: 'block:79@5' }, log)).toMatchObject({ position: 100n, isSkipped: true });
  expect(findStart({ offset: '100', metadata: null }, log).isSkipped).toBeUndefined();
});

it('distinguishes a topic that was recreated from one whose messages retention deleted', () => {
  expect(isOfOtherLog({ offset: '201', metadata: null }, log)).toBe(true);
  expect(isOfOtherLog({ offset: '60', metadata: 'block:200@5' }, log)).toBe(true);
  expect(isOfOtherLog({ offset: '60', metadata: null }, log)).toBe(false);
});
