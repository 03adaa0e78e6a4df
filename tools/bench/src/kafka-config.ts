import { type KafkaConfig } from '@sluice/kafka';

/** The defaults of the apps. */
export const kafkaConfig = (brokers: string[]): KafkaConfig => ({
  KAFKA_BROKERS: brokers,
  TOPIC_PARTITIONS: 12,
  TOPIC_REPLICATION_FACTOR: 1,
});
