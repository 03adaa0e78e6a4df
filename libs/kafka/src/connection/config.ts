import { type Config, list, makeValidator, positiveInteger, str } from '@sluice/service';
import { securityVariables } from './security.js';
import { type TopicOverride, topicOverrides } from './topic-overrides.js';

/** Prefix of topic names. Kafka allows 249 characters for a whole name. */
const prefix = makeValidator<string>((input) => {
  if (!/^[a-zA-Z0-9._-]{1,100}$/.test(input))
    throw new TypeError('must be letters, digits, ".", "_" and "-", 100 at most');
  return input;
});

export const kafkaVariables = {
  KAFKA_BROKERS: list({ desc: 'Brokers to begin from', example: 'kafka-1:9092,kafka-2:9092' }),
  ...securityVariables,
  TOPIC_PREFIX: prefix({
    default: '',
    desc: 'Prefix of all topics and consumer groups, for several installations on one Kafka; never change it later',
    example: 'staging.',
  }),
  TOPIC_PARTITIONS: positiveInteger({ default: 12, desc: 'Partitions of a data topic when it is created' }),
  TOPIC_REPLICATION_FACTOR: positiveInteger({ default: 1, desc: 'Copies of every topic when it is created' }),
  TOPIC_MIN_INSYNC_REPLICAS: positiveInteger({
    default: undefined,
    desc: 'Copies that must have a message before it counts as taken. A new topic has 2 where there are 3 copies, else 1',
  }),
  TOPIC_RETENTION_HOURS: positiveInteger({
    default: undefined,
    desc: 'Hours that a message stays in a data topic. A new topic keeps them for 168, a week',
  }),
  DEAD_LETTER_RETENTION_HOURS: positiveInteger({
    default: undefined,
    desc: 'Hours that a dead letter stays. A new topic keeps them for 504, 21 days',
  }),
  TOPIC_OVERRIDES: topicOverrides({
    default: new Map<string, TopicOverride>(),
    desc: 'What is different for single topics: partitions (of a new one), retention-hours, min-insync-replicas',
    example: 'tracking.track.v1:partitions=24,retention-hours=72;rtb.ad-request.v1:partitions=3',
  }),
};

export const publisherVariables = {
  KAFKA_COMPRESSION: str({
    choices: ['none', 'zstd'] as const,
    default: 'none',
    desc: 'How messages are compressed on their way to Kafka and in it. zstd: an eighth of the bytes, for more CPU',
  }),
};
export type KafkaCompression = Config<typeof publisherVariables>['KAFKA_COMPRESSION'];

type AllOfKafka = Config<typeof kafkaVariables>;
/** Variables of the connection to Kafka. */
export type KafkaConnection = Pick<AllOfKafka, 'KAFKA_BROKERS'> & Partial<Config<typeof securityVariables>>;
/** Variables of the connection and of the topics. A missing one has the variable's default. */
export type KafkaConfig = Pick<AllOfKafka, 'KAFKA_BROKERS' | 'TOPIC_PARTITIONS' | 'TOPIC_REPLICATION_FACTOR'> &
  Partial<AllOfKafka>;

/** INSERTs per second that age alone causes, where a consumer sets no other number. */
export const usualInsertsPerSecond = 12;

export const blockVariables = {
  BLOCK_MAX_ROWS: positiveInteger({ default: 50_000, desc: 'Messages of a block at most' }),
  BLOCK_MAX_BYTES: positiveInteger({ default: 24 * 1024 * 1024, desc: 'Bytes of message values in a block at most' }),
  BLOCK_MAX_AGE_MS: positiveInteger({
    default: 1_000,
    desc: 'A block is stored when it has gathered this long; longer with many partitions or slow INSERTs',
  }),
  BLOCK_INSERTS_PER_SECOND: positiveInteger({
    default: usualInsertsPerSecond,
    desc: 'INSERTs per second that age alone causes; beyond it, blocks of busy partitions gather longer, up to 10 s',
  }),
  KAFKA_SESSION_TIMEOUT_MS: positiveInteger({
    default: 10_000,
    desc: 'A process that was killed holds its partitions for this long',
  }),
  BLOCK_BUFFER_BYTES: positiveInteger({
    default: 96 * 1024 * 1024,
    desc: 'Memory of all blocks, under way and gathering; beyond it fetching pauses. Stuck partitions have a quarter of it',
  }),
};
type AllOfBlocks = Config<typeof blockVariables>;
export type BlockConfig = Omit<AllOfBlocks, 'BLOCK_INSERTS_PER_SECOND'> &
  Partial<Pick<AllOfBlocks, 'BLOCK_INSERTS_PER_SECOND'>>;
