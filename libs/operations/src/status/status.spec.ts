import { expect, it } from 'vitest';
import { judgeConsumers } from './consumer-status.js';
import { judgeDeadLetters } from './dead-letter-status.js';
import { formatDuration } from '../format-duration.js';
import { judgeGateways } from './gateway-status.js';
import { judgeData } from './kafka-status.js';
import { readSamples } from './scrape.js';
import { type ConsumerStatus, type GatewayStatus, type StuckStatus, type TopicStatus } from '@sluice/console-api';

const now = Date.parse('2026-01-31T12:00:00Z');
const aTopic = (change: Partial<TopicStatus> = {}): TopicStatus => ({
  topic: 'tracking.track.v1',
  partitions: 12,
  retentionDays: 7,
  consumer: 'tracking',
  members: 1,
  lag: 0,
  behind: [],
  lateSince: null,
  ...change,
});
const aGateway = (change: Partial<GatewayStatus> = {}): GatewayStatus => ({
  url: 'http://gateway:9000/metrics',
  unreachable: null,
  version: '1.0.0',
  spoolMessages: 0,
  spoolBytes: 0,
  spoolOldestAgeSeconds: 0,
  spoolRefused: 0,
  requests: 0,
  refused: [],
  ...change,
});

const aStuck = (seconds: number, change: Partial<StuckStatus> = {}): StuckStatus => ({
  topic: 'tracking.track.v1',
  partition: 3,
  what: 'block',
  code: 'UNKNOWN_TABLE',
  seconds,
  ...change,
});
const aConsumer = (change: Partial<ConsumerStatus> = {}): ConsumerStatus => ({
  url: 'http://tracking:9000/metrics',
  unreachable: null,
  stuck: [],
  lostOffsets: 0,
  ...change,
});

it.each([
  ['ok', 'everything is stored', [aTopic()]],
  ['ok', '7 messages are on their way', [aTopic({ lag: 7, lateSince: '2026-01-31T11:59:50Z' })]],
  [
    'attention',
    'messages of tracking.track.v1 have waited for 30 s to be stored',
    [aTopic({ lag: 7, lateSince: '2026-01-31T11:59:30Z' })],
  ],
  [
    'late',
    'tracking.identify.v1 is late by 1 h 2 min, since 2026-01-31 10:58:00 UTC; 1 other topic is late too',
    [
      aTopic({ lag: 7, lateSince: '2026-01-31T11:58:00Z' }),
      aTopic({ topic: 'tracking.identify.v1', lag: 1, lateSince: '2026-01-31T10:58:00Z' }),
    ],
  ],
  [
    'late',
    'tracking.track.v1 is late by 6 d, since 2026-01-25 12:00:00 UTC; retention deletes waiting messages of tracking.track.v1 in 1 d',
    [aTopic({ lag: 7, lateSince: '2026-01-25T12:00:00Z' })],
  ],
  ['attention', 'no process of catalog is in its group', [aTopic(), aTopic({ consumer: 'catalog', members: 0 })]],
])('data is %s: %s', (verdict, summary, topics) => expect(judgeData(topics, 60, now)).toEqual({ verdict, summary }));

it.each([
  ['ok', 'none', undefined, 0],
  ['attention', '3 of 3 untreated, the newest letter 1 h ago', '2026-01-31T11:00:00Z', 3],
  ['attention', '1 of 3 untreated, the newest letter 2 d ago', '2026-01-29T12:00:00Z', 1],
  ['ok', '3, all sent back, stored or dismissed', '2026-01-31T11:00:00Z', 0],
])('dead letters are %s: %s', (verdict, summary, newest, untreated) => {
  const topics = newest === undefined ? [] : [{ topic: 't', letters: 3, untreated, newest, reasons: [] }];

  expect(judgeDeadLetters(topics, now)).toEqual({ verdict, summary });
});

it.each([
  ['ok', 'not asked: add --gateway http://host:9000/metrics', []],
  ['ok', '1 gateway, the spool is empty', [aGateway()]],
  [
    'attention',
    '9 messages in the spool, the oldest for 5 s',
    [aGateway({ spoolMessages: 9, spoolOldestAgeSeconds: 5 })],
  ],
  [
    'late',
    '9 messages in the spool, the oldest for 2 min',
    [aGateway({ spoolMessages: 9, spoolOldestAgeSeconds: 120 })],
  ],
  [
    'attention',
    '2 gateways, the spool is empty; 3 accepted messages lie in refused/: docs/runbooks.md#spoolrefused',
    [aGateway({ spoolRefused: 2 }), aGateway({ spoolRefused: 1 })],
  ],
  ['unreachable', 'http://gateway:9000/metrics: ECONNREFUSED', [aGateway(), aGateway({ unreachable: 'ECONNREFUSED' })]],
])('gateways are %s: %s', (verdict, summary, gateways) =>
  expect(judgeGateways(gateways, 60)).toEqual({ verdict, summary }),
);

it.each([
  ['ok', 'not asked: add --consumer http://host:9000/metrics', []],
  ['ok', '2 processes, no partition is stuck', [aConsumer(), aConsumer()]],
  [
    'attention',
    'tracking.track.v1, partition 3, is stuck for 12 s: the INSERT fails with UNKNOWN_TABLE',
    [aConsumer({ stuck: [aStuck(12)] })],
  ],
  [
    'late',
    'catalog.product.v1, partition 0, is stuck for 4 min: Kafka did not answer when its dead letters were written; 1 other partition is stuck too',
    [
      aConsumer({ stuck: [aStuck(12)] }),
      aConsumer({
        stuck: [aStuck(240, { topic: 'catalog.product.v1', partition: 0, what: 'dead letters', code: 'no_answer' })],
      }),
    ],
  ],
  [
    'attention',
    '7 offsets were deleted before they were stored: docs/runbooks.md#retentiontook',
    [aConsumer({ lostOffsets: 7 })],
  ],
  [
    'attention',
    'analysts.totals, a view of others on events, fails with CANNOT_PARSE_TEXT: docs/runbooks.md#foreignviewfails',
    Array.from({ length: 2 }, () =>
      aConsumer({ foreignViews: [{ view: 'analysts.totals', table: 'events', code: 'CANNOT_PARSE_TEXT' }] }),
    ),
  ],
  ['unreachable', 'http://tracking:9000/metrics: ECONNREFUSED', [aConsumer({ unreachable: 'ECONNREFUSED' })]],
])('consumers are %s: %s', (verdict, summary, consumers) =>
  expect(judgeConsumers(consumers, 60)).toEqual({ verdict, summary }),
);

it.each([
  [0.2, '0 s'],
  [59, '59 s'],
  [60, '1 min'],
  [291, '4 min 51 s'],
  [3_600, '1 h'],
  [183_601, '2 d 3 h'],
])('%d seconds are %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text));

it('reads samples with any text in their labels', () => {
  const text = '# HELP a b\na 1\nb{x="1",y="{\\"}, =\\""} 2.5\nnothing\nc{} +Inf\n';

  expect(readSamples(text)).toEqual([
    { name: 'a', labels: {}, value: 1 },
    { name: 'b', labels: { x: '1', y: '{\\"}, =\\"' }, value: 2.5 },
    { name: 'c', labels: {}, value: NaN },
  ]);
});
