import { Registry } from '@sluice/service';
import { documentedMetrics, exportedMetrics } from '@sluice/testing';
import { expect, it } from 'vitest';
import { InsertMetrics } from './insert-metrics.js';

it('docs/metrics.md lists every exported metric of INSERTs', () => {
  const registry = new Registry();
  new InsertMetrics(registry);

  expect(documentedMetrics('ClickHouse')).toEqual(exportedMetrics(registry));
});
