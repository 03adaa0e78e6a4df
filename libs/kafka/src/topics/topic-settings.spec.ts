import { identifyTopic, trackTopic } from '@sluice/contracts';
import { readConfig } from '@sluice/service';
import { expect, it } from 'vitest';
import { kafkaVariables } from '../connection/config.js';
import { compactedTopic, dataTopic, deadLetterSettings } from './topic-settings.js';

const read = (environment: NodeJS.ProcessEnv) => readConfig(kafkaVariables, { KAFKA_BROKERS: 'a:1', ...environment });

it('keeps data for one week and dead letters for three weeks, and requires two of three copies', () => {
  const config = read({ TOPIC_REPLICATION_FACTOR: '3' });
  expect(dataTopic(config, trackTopic)).toEqual({
    topic: 'tracking.track.v1',
    partitions: 12,
    replicas: 3,
    entries: { 'retention.ms': '604800000', 'max.message.bytes': '2097152', 'min.insync.replicas': '2' },
    chosen: {},
  });
  expect(deadLetterSettings(config, 'tracking.track.v1').entries).toHaveProperty(['retention.ms'], '1814400000');
});

it('keeps a compacted topic for ever, whatever the data topics do', () => {
  const { partitions, entries } = compactedTopic(read({ TOPIC_RETENTION_HOURS: '1' }), 'sources.v1');
  expect({ partitions, ...entries }).toMatchObject({
    partitions: 1,
    'retention.ms': '-1',
    'cleanup.policy': 'compact',
  });
});

it('applies overrides to single topics', () => {
  const overrides = 'tracking.track.v1: partitions=24, retention-hours=72; tracking.track.v1.dlq:retention-hours=2';
  const config = read({ TOPIC_OVERRIDES: overrides });
  expect(dataTopic(config, trackTopic)).toMatchObject({
    partitions: 24,
    chosen: { 'retention.ms': '259200000' },
  });
  expect(dataTopic(config, identifyTopic).partitions).toBe(12);
  expect(deadLetterSettings(config, 'tracking.track.v1').entries).toHaveProperty(['retention.ms'], '7200000');
});

it.each([
  ['tracking.trakc.v1:partitions=1', '"tracking.trakc.v1" is not a topic of Sluice'],
  ['tracking.track.v1:partition=1', '"partition=1" of tracking.track.v1 must be one of partitions,'],
  ['tracking.track.v1:partitions=0', '"partitions=0" of tracking.track.v1'],
  ['tracking.track.v1', '"" of tracking.track.v1'],
])('refuses the override %s', (overrides, message) =>
  expect(() => read({ TOPIC_OVERRIDES: overrides })).toThrow(message),
);

it('refuses to require more copies than there are', () => {
  const config = read({ TOPIC_REPLICATION_FACTOR: '3', TOPIC_MIN_INSYNC_REPLICAS: '4' });
  expect(() => dataTopic(config, trackTopic)).toThrow('TOPIC_MIN_INSYNC_REPLICAS: must not be above');
});
