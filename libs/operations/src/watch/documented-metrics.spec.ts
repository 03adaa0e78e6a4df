import { Registry } from '@sluice/service';
import { documentedMetrics, exportedMetrics } from '@sluice/testing';
import { expect, it } from 'vitest';
import { WatchMetrics } from './watch-metrics.js';

it('docs/metrics.md lists every exported metric of the watch', () => {
  const registry = new Registry();
  new WatchMetrics(registry);

  expect(documentedMetrics('Watch')).toEqual(exportedMetrics(registry));
});
