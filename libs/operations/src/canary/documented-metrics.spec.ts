import { Registry } from '@sluice/service';
import { documentedMetrics, exportedMetrics } from '@sluice/testing';
import { expect, it } from 'vitest';
import { CanaryMetrics } from './canary-metrics.js';

it('docs/metrics.md lists every exported metric of the canary', () => {
  const registry = new Registry();
  new CanaryMetrics(registry);

  expect(documentedMetrics('Canary')).toEqual(exportedMetrics(registry));
});
