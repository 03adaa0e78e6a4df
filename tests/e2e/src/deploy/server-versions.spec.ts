import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');
const versionsIn = (file: string, image: string): string[] =>
  [...read(file).matchAll(new RegExp(`${image}:([\\w.]+)`, 'g'))].map(([, version = '']) => version);

const files = [
  'docker-compose.yml',
  'tools/testing/src/containers.ts',
  'deploy/check/kind.yaml',
  'deploy/cluster/docker-compose.yml',
];

it('Kafka has one version in compose, in containers of tests, on kind and embedded', () => {
  const [, embedded = ''] = /<kafka.version>([\d.]+)</.exec(read('tools/testing/kafka/pom.xml')) ?? [];
  expect(files.map((file) => versionsIn(file, 'apache/kafka'))).toEqual(files.map(() => [embedded]));
});

it('ClickHouse has one version in compose, in containers of tests and on kind', () => {
  const [version = ''] = versionsIn('docker-compose.yml', 'clickhouse/clickhouse-server');
  expect(version).toMatch(/^\d+\.\d+$/);
  expect(files.map((file) => versionsIn(file, 'clickhouse/clickhouse-server'))).toEqual(files.map(() => [version]));
});
