// Takes the place of kafkajs/src/producer/groupMessagesPerPartition.js.
import { type createRequire } from 'node:module';
import type { Message, PartitionerArgs, PartitionMetadata } from 'kafkajs';
import { replaceModule } from './replace-module.js';

interface ToGroup {
  topic: string;
  partitionMetadata: PartitionMetadata[];
  messages: readonly Message[];
  partitioner: (args: PartitionerArgs) => number;
}
type Group = (parameters: ToGroup) => Record<number, Message[]>;

/** Replaces kafkajs' grouping of messages by partition, whose time grows with the square of their number. */
export function replaceGrouping(require: ReturnType<typeof createRequire>): void {
  replaceModule<Group>(require, 'kafkajs/src/producer/groupMessagesPerPartition.js', () => groupByPartition);
}

/** Groups in one pass; messages without a partition get one from the partitioner. */
export function groupByPartition({ topic, partitionMetadata, messages, partitioner }: ToGroup): ReturnType<Group> {
  const groups: Record<number, Message[]> = {};
  if (partitionMetadata.length === 0) return groups;
  for (const message of messages) {
    const partition = message.partition ?? partitioner({ topic, partitionMetadata, message });
    (groups[partition] ??= []).push(message);
  }
  return groups;
}
