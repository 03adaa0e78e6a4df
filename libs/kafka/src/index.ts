export { type Block, partitionKey, type Rejection, type StoredMessage } from './protocol/block.js';
export { BlockConsumer } from './consume/block-consumer.js';
export { startConsumerApp } from './consume/start-consumer-app.js';
export { createKafka } from './connection/client.js';
export { type CompactedRecord, type RecordSink } from './follow/compacted-record.js';
export { CompactedTopicFollower, readCompactedEnd, writeCompacted } from './follow/compacted-topic.js';
export { CompactedTopicWriter } from './follow/compacted-topic-writer.js';
export { RecordSnapshot } from './follow/record-snapshot.js';
export { RegistryFollower, type RegistryOrigin } from './follow/registry-follower.js';
export { type RecordRegistry } from './follow/registry-sink.js';
export {
  type BlockConfig,
  blockVariables,
  type KafkaConfig,
  type KafkaConnection,
  kafkaVariables,
  publisherVariables,
} from './connection/config.js';
export { untilBrokerAnswers } from './connection/broker-answers.js';
export { withinDeadline } from './connection/deadline.js';
export { type DeadLetter, type LetterDamage } from './dead-letters/dead-letter.js';
export { LetterIndex } from './dead-letters/letter-index.js';
export { compareLetters, type LetterSummary, summarizeLetter } from './dead-letters/letter-summary.js';
export { DeadLetterBox, type DeadLetterQuery } from './dead-letters/dead-letter-box.js';
export { type NotReplayed, type Replay } from './dead-letters/letter-replay.js';
export { findTopicsBehind, readEnds, readTimeToClear, type TopicBehind, type TopicEnds } from './topics/ends.js';
export { type ConsumedTopic, type GroupLag, readLag } from './topics/group-lag.js';
export { type MessageFilter } from './consume/message-filter.js';
export { headerText, valueLength } from './protocol/message-parts.js';
export { HandlesBlocks } from './consume/handles-blocks.js';
export { markedAsRepeat } from './publish/marked-as-repeat.js';
export {
  findMessages,
  type FoundMessages,
  type FoundMessage,
  offsetsBetween,
  readConfirmed,
  type ReadMessage,
  readOffsets,
} from './dead-letters/message-search.js';
export { isTransient } from './connection/transient-error.js';
export { keepTrying } from './connection/keep-trying.js';
export { NotPublishedError } from './publish/not-published-error.js';
export { type OutgoingMessage, cutIntoSends } from './publish/outgoing-message.js';
export { type Fallback, Publisher } from './publish/publisher.js';
export { Sender } from './publish/sender.js';
export { type RowMessage, sortByContract, type SortedBlock } from './consume/sort-by-contract.js';
export { type ClusterState, readCluster, type TopicState } from './topics/topic-states.js';
export { busyGroups, readShardMap, writeVersion } from './shards/map-changes.js';
export { type MapVersion, ShardMap, shardWindowMs } from './shards/shard-map.js';
export { shardsTopic } from './shards/shard-records.js';
export { TopicTap, type TappedMessage, type TapSlice } from './tap/topic-tap.js';
export { type TopicChange } from './topics/topic-changes.js';
export {
  changeTopics,
  ensureCompactedTopic,
  ensureTopics,
  growTopic,
  planTopics,
  type TopicPlan,
} from './topics/topics.js';
export type { Kafka } from '@sluice/kafkajs';
export { type GroupProbe, probeGroup } from './probe/probe-group.js';
export { type LogProbe, probeLog, probeSends, type SendProbe } from './probe/probe-sends.js';
export { readDurability, type TopicDurability } from './probe/read-durability.js';
export { createScratchTopic, deleteScratch, listScratch } from './probe/scratch-topics.js';
