import { createKafka } from '@sluice/kafka';
import { Registry } from '@sluice/service';
import { documentedMetrics, exportedMetrics } from '@sluice/testing';
import { expect, it } from 'vitest';
import { PrivacyMetrics } from './privacy-metrics.js';
import { SuppressionReader } from './reader.js';

it('docs/metrics.md lists the metrics of suppressions', () => {
  const registry = new Registry();
  const kafka = createKafka({ KAFKA_BROKERS: ['127.0.0.1:1'] }, 'test');
  new PrivacyMetrics(new SuppressionReader(kafka, undefined), registry);

  expect(documentedMetrics('Suppressions')).toEqual(exportedMetrics(registry));
});
