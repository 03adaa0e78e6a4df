import { expect, test } from 'vitest';
import { type KafkaNode } from './kafka-node.js';
import { serverProperties } from './server-properties.js';

const node = (id: number): KafkaNode => ({
  id,
  port: 9000 + id,
  controllerPort: 9100 + id,
  folder: `/data/broker-${id}`,
});

test('a single broker replicates nothing and votes for itself', () => {
  const lines = serverProperties(node(1), [node(1)]).split('\n');

  expect(lines).toContain('node.id=1');
  expect(lines).toContain('controller.quorum.voters=1@127.0.0.1:9101');
  expect(lines).toContain('listeners=PLAINTEXT://127.0.0.1:9001,CONTROLLER://127.0.0.1:9101');
  expect(lines).toContain('log.dirs=/data/broker-1/data');
  expect(lines).toContain('offsets.topic.replication.factor=1');
  expect(lines).toContain('min.insync.replicas=1');
});

test('three brokers acknowledge when two replicas are in sync', () => {
  const lines = serverProperties(node(2), [node(1), node(2), node(3)]).split('\n');

  expect(lines).toContain('node.id=2');
  expect(lines).toContain('controller.quorum.voters=1@127.0.0.1:9101,2@127.0.0.1:9102,3@127.0.0.1:9103');
  expect(lines).toContain('default.replication.factor=3');
  expect(lines).toContain('min.insync.replicas=2');
});

test('a broker can have additional addresses, each with its properties', () => {
  const listener = { protocol: 'SASL_SSL', port: 9500, properties: { 'ssl.client.auth': 'required' } } as const;
  const lines = serverProperties(node(1), [node(1)], [listener]).split('\n');

  expect(lines).toContain('advertised.listeners=PLAINTEXT://127.0.0.1:9001,SASL_SSL://127.0.0.1:9500');
  expect(lines).toContain('listener.name.sasl_ssl.ssl.client.auth=required');
});
