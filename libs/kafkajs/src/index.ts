// Takes the place of kafkajs/index.js: the types of kafkajs, the patched values, and the formats they share.
export type {
  Admin,
  Consumer,
  ConsumerConfig,
  EachBatchPayload,
  ICustomPartitioner,
  IHeaders,
  ITopicConfig,
  KafkaMessage,
  LogEntry,
  Message,
  PartitionAssigner,
  Producer,
  SASLOptions,
} from 'kafkajs';
export { copyOut } from './copy-out.js';
export { recordBytes } from './decoding-limits.js';
export { readFetchedOffset, release } from './fetched-batch.js';
export { type BatchContext, FetchedRecord } from './fetched-record.js';
export {
  CompressionTypes,
  ConfigResourceTypes,
  Kafka,
  KafkaJSError,
  KafkaJSNumberOfRetriesExceeded,
  KafkaJSProtocolError,
  logLevel,
  PartitionAssigners,
  Partitioners,
} from './patched.js';
export { type TimedMessage } from './produce-request.js';
export { batchHead } from './read-fetched-batch.js';
export { type SizedMessage } from './record-batch.js';
export {
  appendHeaders,
  bytesLength,
  encodeHeaders,
  noHeaders,
  readHeaders,
  type RecordHeader,
  writeBytes,
  writeHeaders,
} from './record-headers.js';
export { RawGroup } from './raw-group.js';
export { RecordReader } from './record-reader.js';
export { openSocket } from './socket.js';
export { rebalanceTimeoutMs } from './sync-group.js';
export { TopicIds } from './topic-ids.js';
export { type UndecodableBatch, undecodableBatch } from './undecodable-batch.js';
