import { type Config, list, positiveInteger, str } from '@sluice/service';

export const kafkaVariables = {
  KAFKA_BROKERS: list({ desc: 'Brokers to begin from', example: 'kafka-1:9092,kafka-2:9092' }),
  TOPIC_PARTITIONS: positiveInteger({ default: 12, desc: 'Partitions of a data topic when it is created' }),
  TOPIC_REPLICATION_FACTOR: positiveInteger({ default: 1, desc: 'Copies of every topic when it is created' }),
};

export const publisherVariables = {
  KAFKA_COMPRESSION: str({
    choices: ['none', 'zstd'] as const,
    default: 'none',
    desc: 'How messages are compressed on their way to Kafka and in it. zstd: an eighth of the bytes, for more CPU',
  }),
};
export type KafkaCompression = Config<typeof publisherVariables>['KAFKA_COMPRESSION'];

export type KafkaConfig = Config<typeof kafkaVariables>;

export const blockVariables = {
  BLOCK_MAX_ROWS: positiveInteger({ default: 50_000, desc: 'Messages of a block at most' }),
  BLOCK_MAX_BYTES: positiveInteger({ default: 16 * 1024 * 1024, desc: 'Bytes of message values in a block at most' }),
  BLOCK_MAX_AGE_MS: positiveInteger({
    default: 1_000,
    desc: 'A block is stored when it has gathered this long; longer with many partitions or slow INSERTs',
  }),
  KAFKA_SESSION_TIMEOUT_MS: positiveInteger({
    default: 10_000,
    desc: 'A process that was killed holds its partitions for this long',
  }),
  BLOCK_BUFFER_BYTES: positiveInteger({
    default: 112 * 1024 * 1024,
    desc: 'Memory of all blocks together, those under way and those that gather; beyond it fetching pauses',
  }),
};
export type BlockConfig = Config<typeof blockVariables>;
