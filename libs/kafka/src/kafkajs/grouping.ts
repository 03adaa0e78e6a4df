import { type createRequire } from 'node:module';
import type { Message } from 'kafkajs';

type Group = (parameters: { messages: readonly Message[] } & Record<string, unknown>) => Record<number, Message[]>;

/**
 * kafkajs groups the messages of a send by partition in a time that grows with the square of their number. Messages
 * that name their partition, as all of ours do, are grouped in one pass.
 */
export function replaceGrouping(require: ReturnType<typeof createRequire>): void {
  const path = require.resolve('kafkajs/src/producer/groupMessagesPerPartition.js');
  const original = require(path) as Group;
  const module = require.cache[path];
  if (!module) throw new Error('kafkajs has no groupMessagesPerPartition');
  module.exports = ((parameters) => groupByPartition(parameters.messages) ?? original(parameters)) satisfies Group;
}

/** Undefined when a message leaves its partition to kafkajs. */
export function groupByPartition(messages: readonly Message[]): Record<number, Message[]> | undefined {
  const groups: Record<number, Message[]> = {};
  for (const message of messages) {
    if (message.partition === undefined) return undefined;
    (groups[message.partition] ??= []).push(message);
  }
  return groups;
}
