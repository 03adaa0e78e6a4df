import { Registry } from '@sluice/service';
import { documentedMetrics, exportedMetrics } from '@sluice/testing';
import { expect, it } from 'vitest';
import { ConsumerMetrics } from './consumer-metrics.js';
import { PublishMetrics } from '../publish/publish-metrics.js';

it('docs/metrics.md lists every metric that consumers export', () => {
  const registry = new Registry();
  new ConsumerMetrics(registry, {
    partitions: () => [],
    shards: () => undefined,
    topics: () => [],
    stuck: () => [],
    retentionLeft: () => [],
    retentionPeriods: () => [],
  });

  expect(documentedMetrics('Consumers')).toEqual(exportedMetrics(registry));
});

it('docs/metrics.md lists every metric that publishers export', () => {
  const registry = new Registry();
  new PublishMetrics(registry);

  expect(documentedMetrics('Publisher')).toEqual(exportedMetrics(registry));
});
