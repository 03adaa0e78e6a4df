import { join } from 'node:path';
import { type KafkaNode } from './kafka-node.js';
import { type Listener } from './listener.js';

/** Kafka configuration of one node of a cluster, tuned for a quick start and few resources. */
export function serverProperties(
  node: KafkaNode,
  cluster: readonly KafkaNode[],
  listeners: readonly Listener[] = [],
  extraProperties: Readonly<Record<string, string>> = {},
): string {
  const replicas = cluster.length;
  const inSync = Math.min(2, replicas);
  const addresses = [
    `PLAINTEXT://127.0.0.1:${node.port}`,
    ...listeners.map(({ protocol, port }) => `${protocol}://127.0.0.1:${port}`),
  ];
  const properties = {
    'process.roles': 'broker,controller',
    'node.id': node.id,
    // Static voters, so that a later start can use other ports with the same data.
    'controller.quorum.voters': cluster.map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`).join(','),
    'controller.listener.names': 'CONTROLLER',
    listeners: [...addresses, `CONTROLLER://127.0.0.1:${node.controllerPort}`].join(','),
    'advertised.listeners': addresses.join(','),
    'listener.security.protocol.map':
      'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL,SASL_PLAINTEXT:SASL_PLAINTEXT',
    'log.dirs': join(node.folder, 'data'),
    'auto.create.topics.enable': false,
    'default.replication.factor': replicas,
    'min.insync.replicas': inSync,
    'offsets.topic.num.partitions': 5,
    'offsets.topic.replication.factor': replicas,
    'transaction.state.log.num.partitions': 5,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': inSync,
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': inSync,
    'group.initial.rebalance.delay.ms': 0,
    // A killed broker cannot rejoin before its last session has expired; the default is 9 s.
    'broker.session.timeout.ms': 4_000,
    'broker.heartbeat.interval.ms': 500,
    // The default would take 128 MiB of the heap.
    'log.cleaner.dedupe.buffer.size': 8 * 1024 * 1024,
    ...Object.fromEntries(listeners.flatMap(listenerProperties)),
    ...extraProperties,
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

const listenerProperties = ({ protocol, properties }: Listener): [string, string][] =>
  Object.entries(properties).map(([name, value]) => [`listener.name.${protocol.toLowerCase()}.${name}`, value]);
