import { type createRequire } from 'node:module';
import type { Message } from 'kafkajs';
import { replaceModule } from './replace-module.js';

type Group = (parameters: { messages: readonly Message[] } & Record<string, unknown>) => Record<number, Message[]>;

/**
 * kafkajs groups the messages of a send by partition in a time that grows with the square of their number. Messages
 * that name their partition, as all of ours do, are grouped in one pass.
 */
export function replaceGrouping(require: ReturnType<typeof createRequire>): void {
  replaceModule<Group>(
    require,
    'kafkajs/src/producer/groupMessagesPerPartition.js',
    (original) => (parameters) => groupByPartition(parameters.messages) ?? original(parameters),
  );
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
