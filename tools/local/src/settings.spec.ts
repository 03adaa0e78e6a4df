import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readLocalSettings } from './settings.js';

test('an empty environment gives the defaults', () =>
  expect(readLocalSettings({})).toEqual({
    dataDir: resolve('.data'),
    gatewayPort: 8080,
    consolePort: undefined,
    kafkaPort: 9092,
    clickhousePort: 8123,
    kafkaBrokers: undefined,
    clickhouseUrl: undefined,
  }));

test('a running Kafka and ClickHouse can be used', () => {
  const settings = readLocalSettings({ KAFKA_BROKERS: 'one:9092, two:9092', CLICKHOUSE_URL: 'https://me:key@db:8443' });

  expect(settings.kafkaBrokers).toEqual(['one:9092', 'two:9092']);
  expect(settings.clickhouseUrl).toBe('https://me:key@db:8443');
});

test('one error names every invalid variable', () => {
  const bad = { GATEWAY_PORT: '-1', KAFKA_PORT: '70000', KAFKA_BROKERS: 'one', CLICKHOUSE_URL: 'db:8123' };

  expect(() => readLocalSettings(bad)).toThrow(
    /GATEWAY_PORT .*\n.*KAFKA_PORT .*\n.*KAFKA_BROKERS .*\n.*CLICKHOUSE_URL /,
  );
});
