import { Logger } from '@nestjs/common';
import { Registry } from '@sluice/service';
import { expect, it, vi } from 'vitest';
import { SourceTimes } from './source-times.js';

it('a source whose small bodies take long is costly, until they are short again', () => {
  const times = new SourceTimes(new Registry());
  const add = (count: number, ms: number, isSmallBody = true): void => {
    for (let i = 0; i < count; i++) times.add('a', ms, 0, isSmallBody);
  };
  add(20, 50, false);
  expect(times.isCostly('a')).toBe(false);
  add(20, 5);
  expect([times.isCostly('a'), times.isCostly('b')]).toEqual([true, false]);
  add(50, 0.1);
  expect(times.isCostly('a')).toBe(false);
});

it('names a source that takes much of the time and has to wait', () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  const times = new SourceTimes(new Registry());
  times.add('greedy', 600, 5_000, false);
  times.add('busy', 600, 0, false);
  times.add('waiting', 1, 5_000, false);
  times.logGreedySources(1_000);
  times.logGreedySources(1_000);
  expect(warn.mock.calls).toEqual([[expect.objectContaining({ source: 'greedy', busyPercent: 60 })]]);
});

it('counts the times by source', async () => {
  const registry = new Registry();
  const times = new SourceTimes(registry);
  times.add('a', 1_500, 250, true);
  const text = await registry.metrics();
  expect(text).toContain('sluice_gateway_source_busy_seconds_total{source="a"} 1.5');
  expect(text).toContain('sluice_gateway_source_waiting_seconds_total{source="a"} 0.25');
});
