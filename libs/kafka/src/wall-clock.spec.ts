import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BlockPace } from './consume/block-pace.js';
import { KafkaJSError } from '@sluice/kafkajs';
import { PartitionSteps } from './protocol/partition-steps.js';
import { whenLed } from './connection/when-led.js';

// Only the wall clock is set; the monotonic clock continues.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const hourMs = 3_600_000;

it.each([-hourMs, hourMs])('keeps the pace of blocks when the wall clock is set by %i ms', (byMs) => {
  const pace = new BlockPace(100);
  for (let partition = 0; partition < 24; partition++) pace.stored(`t:${partition}`, 1);
  const before = pace.maxAgeMs();
  expect(before).toBe(2_000);
  vi.setSystemTime(Date.now() + byMs);
  expect(pace.maxAgeMs()).toBe(before);
});

it('does not give up on a leader because the wall clock was set forward', async () => {
  let clockReads = 0;
  const answer = await whenLed(() => {
    clockReads += 1;
    if (clockReads > 1) return Promise.resolve('led');
    vi.setSystemTime(Date.now() + hourMs);
    return Promise.reject(new KafkaJSError('no leader', { retriable: true }));
  });
  expect(answer).toBe('led');
});

it.each([-hourMs, hourMs])('judges an attempt by its real time when the wall clock is set by %i ms', (byMs) => {
  const steps = new PartitionSteps();
  steps.attempt('block');
  vi.setSystemTime(Date.now() + byMs);
  expect(steps.attemptMs()).toBeGreaterThanOrEqual(0);
  expect(steps.attemptMs()).toBeLessThan(60_000);
  expect(steps.stuckAt()).toBeUndefined();
});
