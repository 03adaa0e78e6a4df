import { Registry } from '@sluice/service';
import { documentedMetrics, exportedMetrics } from '@sluice/testing';
import { expect, it } from 'vitest';
import { BrokenParts } from './write/broken-parts.js';
import { InsertMetrics } from './write/insert-metrics.js';

it('docs/metrics.md lists every exported metric of ClickHouse', () => {
  const registry = new Registry();
  new InsertMetrics(registry);
  new BrokenParts(registry, { brokenParts: () => Promise.resolve(new Map()) });

  expect(documentedMetrics('ClickHouse')).toEqual(exportedMetrics(registry));
});
