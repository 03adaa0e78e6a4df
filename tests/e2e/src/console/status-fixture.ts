import { type StatusReport, type TopicStatus } from '@sluice/console-api';

const at = '2026-11-23T06:59:58.412Z';
const newest = { newestReceived: at, newestStored: at };

const aTopic = (topic: string, change: Partial<TopicStatus> = {}): TopicStatus => ({
  topic,
  partitions: 12,
  retentionDays: 7,
  consumer: 'tracking',
  members: 2,
  lag: 0,
  behind: [],
  lateSince: null,
  ...change,
});

/** A system with a little of everything: a late topic, a spool, dead letters, a stuck partition. */
export const statusReport: StatusReport = {
  at,
  version: '0.1.0',
  kafka: { verdict: 'ok', summary: '3 brokers answer', brokers: 3 },
  data: {
    verdict: 'late',
    summary: 'catalog.product.v1 waits 4 min in 2 of 12 partitions',
    topics: [
      aTopic('tracking.track.v1', { lag: 312 }),
      aTopic('tracking.identify.v1'),
      aTopic('catalog.product.v1', {
        consumer: 'catalog',
        lag: 1_204_882,
        lateSince: '2026-11-23T06:55:00.000Z',
        behind: [
          { partition: 2, messages: 600_000, waitsSeconds: 240 },
          { partition: 9, messages: 604_882, waitsSeconds: 180 },
        ],
      }),
    ],
  },
  deadLetters: {
    verdict: 'attention',
    summary: '2 letters, the newest 59 min ago',
    topics: [
      {
        topic: 'tracking.track.v1',
        letters: 2,
        newest: at,
        reasons: [{ reason: 'unknown contract track.v9', letters: 2 }],
      },
    ],
  },
  clickhouse: {
    verdict: 'ok',
    summary: 'newest row 1 s old',
    version: '26.7.1.1',
    tables: [
      { table: 'events', rows: 128_402_113, ...newest },
      { table: 'identifies', rows: 9211, ...newest },
    ],
  },
  migrations: { verdict: 'ok', summary: '14 applied', applied: 14, pending: [], changed: [], differences: [] },
  consumers: {
    verdict: 'attention',
    summary: '1 partition is stuck',
    consumers: [
      {
        url: 'http://tracking-1:9100',
        unreachable: null,
        lostOffsets: 0,
        foreignViews: [{ view: 'analysts.totals', table: 'events', code: 'CANNOT_PARSE_NUMBER' }],
        stuck: [{ topic: 'catalog.product.v1', partition: 2, what: 'block', code: 'no_answer', seconds: 240 }],
      },
      { url: 'http://catalog-1:9100', unreachable: 'no answer within 2 s', stuck: [], lostOffsets: 0 },
    ],
  },
  gateways: {
    verdict: 'attention',
    summary: '1 of 2 gateways keeps messages on its disk',
    gateways: [
      {
        url: 'http://gateway-1:9100',
        unreachable: null,
        version: '0.1.0',
        requests: 9_120_331,
        spoolMessages: 4120,
        spoolBytes: 2_400_000,
        spoolOldestAgeSeconds: 42,
        spoolRefused: 0,
        refused: [{ reason: 'error.request.invalid', requests: 132 }],
      },
      {
        url: 'http://gateway-2:9100',
        unreachable: 'no answer within 2 s',
        version: null,
        requests: 0,
        spoolMessages: 0,
        spoolBytes: 0,
        spoolOldestAgeSeconds: 0,
        spoolRefused: 0,
        refused: [],
      },
    ],
  },
  sources: {
    verdict: 'attention',
    summary: 'one source has all of its requests refused',
    sources: [{ sourceIdentifier: 'Ab3dEf6hIj9k', name: 'Corner shop', trouble: 'refused', count: 1320, newest: null }],
  },
  problems: [
    {
      id: 'gateway-2',
      part: 'gateways',
      verdict: 'unreachable',
      summary: 'gateway-2 is not responding',
      since: '2026-11-23T06:57:12.000Z',
      meaning: 'Requests that a load balancer sends to it fail. The other gateway accepts events.',
      action: 'See whether the process runs, and read its log.',
      runbook: 'docs/runbooks.md#gatewaydown',
    },
    {
      id: 'consumers',
      part: 'consumers',
      verdict: 'late',
      summary: '1 partition is stuck',
      since: '2026-11-23T06:55:00.000Z',
      meaning: 'Products are in Kafka and not in their table yet.',
      action: 'Look for a stuck partition of the catalog consumer.',
      runbook: 'docs/runbooks.md#partitionstuck',
      consequences: [
        { part: 'data', verdict: 'late', summary: 'catalog.product.v1 waits 4 min in 2 of 12 partitions' },
      ],
    },
    {
      id: 'letters',
      part: 'deadLetters',
      verdict: 'attention',
      summary: '2 untreated letters',
      since: at,
      meaning: 'Two messages could not be stored.',
      action: 'Edit and replay them, or dismiss them.',
      runbook: 'docs/runbooks.md#deadletters',
    },
  ],
};
