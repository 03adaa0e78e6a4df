// Loaded only if a container engine answers (test-servers.ts), so it never runs on other machines.
import { ClickHouseContainer } from '@testcontainers/clickhouse';
import { KafkaContainer } from '@testcontainers/kafka';
import { type RunningServers } from './running-servers.js';

const kafkaPort = 9093;

/** Starts the same two servers as the embedded ones in containers. */
export async function startContainers(): Promise<RunningServers> {
  const [kafka, clickhouse] = await Promise.all([
    new KafkaContainer('confluentinc/cp-kafka:8.1.0')
      .withKraft()
      .withEnvironment({ KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false', KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0' })
      .withExposedPorts(kafkaPort)
      .start(),
    new ClickHouseContainer('clickhouse/clickhouse-server:26.3').start(),
  ]);
  const url = new URL(clickhouse.getHttpUrl());
  url.username = clickhouse.getUsername();
  url.password = clickhouse.getPassword();
  return {
    kafkaBrokers: [`${kafka.getHost()}:${kafka.getMappedPort(kafkaPort)}`],
    clickhouseUrl: url.href,
    stop: async () => {
      await Promise.all([kafka.stop(), clickhouse.stop()]);
    },
  };
}
