// Loaded only if a container engine answers (test-servers.ts), so it never runs on other machines.
import { ClickHouseContainer } from '@testcontainers/clickhouse';
import { GenericContainer, Wait } from 'testcontainers';
import { freePort } from './free-port.js';
import { type RunningServers } from './running-servers.js';

// The versions of docker-compose.yml and of the embedded servers; a test compares them.
const kafkaImage = 'apache/kafka:4.3.1';
const clickhouseImage = 'clickhouse/clickhouse-server:26.7';
const hostPort = 9094;

/** Starts the same two servers as the embedded ones in containers. */
export async function startContainers(): Promise<RunningServers> {
  const [kafka, clickhouse] = await Promise.all([startKafka(), new ClickHouseContainer(clickhouseImage).start()]);
  const url = new URL(clickhouse.getHttpUrl());
  url.username = clickhouse.getUsername();
  url.password = clickhouse.getPassword();
  return {
    kafkaBrokers: [kafka.broker],
    clickhouseUrl: url.href,
    stop: async () => {
      await Promise.all([kafka.container.stop(), clickhouse.stop()]);
    },
  };
}

/** Kafka announces its own address to clients, so its port on the host is chosen before it starts. */
async function startKafka() {
  const port = await freePort();
  const container = await new GenericContainer(kafkaImage)
    .withExposedPorts({ container: hostPort, host: port })
    .withEnvironment({
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_LISTENERS: `CONTROLLER://:9093,HOST://:${hostPort}`,
      KAFKA_ADVERTISED_LISTENERS: `HOST://localhost:${port}`,
      KAFKA_INTER_BROKER_LISTENER_NAME: 'HOST',
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CONTROLLER:PLAINTEXT,HOST:PLAINTEXT',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
    })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .start();
  return { container, broker: `${container.getHost()}:${port}` };
}
