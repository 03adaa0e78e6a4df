import { expect, it } from 'vitest';
import { FailingTopics } from './failing-topics.js';

it('gives up a topic that has failed for over a minute, until it works again or is forgotten', () => {
  let now = 0;
  const topics = new FailingTopics(() => now);
  const failAt = (seconds: number): boolean => {
    now = seconds * 1_000;
    topics.failed('a');
    return topics.isGivenUp('a');
  };
  expect([0, 30, 60, 61].map(failAt)).toEqual([false, false, false, true]);
  expect(topics.isGivenUp('b')).toBe(false);
  topics.succeeded(['a']);
  expect([62, 100, 130].map(failAt)).toEqual([false, false, true]);
  expect(failAt(800)).toBe(false);
});
