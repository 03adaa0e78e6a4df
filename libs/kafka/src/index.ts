export { type Block, type Refusal, type StoredMessage } from './block.js';
export { BlockConsumer } from './block-consumer.js';
export { createKafka } from './client.js';
export { type CompactedRecord } from './compacted-record.js';
export { CompactedTopicFollower, type RecordSink, writeCompacted } from './compacted-topic.js';
export { CompactedTopicWriter } from './compacted-topic-writer.js';
export {
  type BlockConfig,
  blockVariables,
  type KafkaConfig,
  type KafkaConnection,
  kafkaVariables,
  publisherVariables,
} from './config.js';
export { withinDeadline } from './deadline.js';
export { type DeadLetter, type LetterDamage } from './dead-letter.js';
export { DeadLetterBox, type DeadLetterQuery } from './dead-letter-box.js';
export { type NotReplayed, type Replay } from './letter-replay.js';
export { type ConsumedTopic, type GroupLag, readLag } from './group-lag.js';
export { HandlesBlocks } from './handles-blocks.js';
export { markedAsRepeat } from './marked-as-repeat.js';
export { findMessages, type FoundMessages, type MessagePlace, readConfirmed } from './message-search.js';
export { keepTrying } from './keep-trying.js';
export { NotPublishedError } from './not-published-error.js';
export { type Fallback, type OutgoingMessage, partsOf, Publisher } from './publisher.js';
export { type RowMessage, sortByContract, type SortedBlock } from './sort-by-contract.js';
export { type ClusterState, readCluster, type TopicState } from './topic-states.js';
export { type TopicChange } from './topic-changes.js';
export { changeTopics, ensureCompactedTopic, ensureTopics, planTopics, type TopicPlan } from './topics.js';
export type { Kafka } from 'kafkajs';
