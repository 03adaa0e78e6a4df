import { Registry } from '@sluice/service';
import { type PlanReader } from '@sluice/plans';
import { type SourceReader } from '@sluice/sources';
import { documentedMetrics, exportedMetrics } from '@sluice/testing';
import { expect, it } from 'vitest';
import { FieldHasher } from './field-rules/field-hasher.js';
import { SourceStaleness } from './auth/source-staleness.js';
import { ProbeMetrics } from './canary/probe-metrics.js';
import { ConnectionMetrics } from './http/connections/connection-metrics.js';
import { RequestMetrics } from './http/answering/request-metrics.js';
import { IntakeMetrics } from './intake/intake-metrics.js';
import { SourceMetrics } from './limits/source-metrics.js';
import { SourceNames } from './limits/source-names.js';
import { SourceTimes } from './limits/source-times.js';
import { PlanFailures, PlanMetrics } from './plans/plan-metrics.js';
import { PushMetrics } from './push/push-metrics.js';
import { type Outbox } from './spool/outbox.js';
import { SpoolDisk } from './spool/spool-disk.js';
import { SpoolMetrics } from './spool/spool-metrics.js';

it('docs/metrics.md lists the metrics that the gateway exports', () => {
  const registry = new Registry();
  new RequestMetrics(registry).observe(() => 0);
  new ConnectionMetrics(registry);
  new SourceTimes(registry);
  new IntakeMetrics(registry);
  new PlanMetrics({ staleSeconds: 0 } as PlanReader, registry);
  new PlanFailures(registry);
  new PushMetrics(registry);
  new SourceMetrics(registry);
  new SourceNames({ boundFor: () => 1, today: { name: '2026-11-28' }, metrics: registry });
  new FieldHasher(undefined, registry);
  new SourceStaleness({ staleSeconds: 0 } as SourceReader, registry);

  expect(documentedMetrics('Gateway')).toEqual(exportedMetrics(registry));
});

it('docs/metrics.md lists the metrics that the spool exports', () => {
  const registry = new Registry();
  new SpoolMetrics({ state: {} } as Outbox, registry);
  new SpoolDisk('.', registry);

  expect(documentedMetrics('Spool')).toEqual(exportedMetrics(registry));
});

it('docs/metrics.md lists the metrics that the canary exports', () => {
  const registry = new Registry();
  new ProbeMetrics(registry);

  expect(documentedMetrics('Probes')).toEqual(exportedMetrics(registry));
});
