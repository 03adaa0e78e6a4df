import { type createRequire } from 'node:module';
import { FetchedRecord } from './fetched-record.js';
import { replaceModule } from './replace-module.js';

interface PartitionData {
  readonly messages: readonly unknown[];
  readonly abortedTransactions?: readonly unknown[] | null;
}

type BatchClass = new (topic: string, fetchedOffset: string, data: PartitionData) => object;

/**
 * kafkajs sorts out what lies before the offset it asked for by two BigInts for each message. Offsets ascend: here it
 * looks only until the first that is wanted. Batches with aborted transactions or control records stay its own.
 */
export function replaceBatch(require: ReturnType<typeof createRequire>): void {
  replaceModule(require, 'kafkajs/src/consumer/batch.js', batchWith);
}

export function batchWith(Batch: BatchClass): BatchClass {
  return class FetchedBatch extends Batch {
    constructor(topic: string, fetchedOffset: string, data: PartitionData) {
      const isPlain = !data.abortedTransactions?.length && data.messages.every(isPlainRecord);
      super(topic, fetchedOffset, isPlain ? { ...data, messages: [] } : data);
      if (!isPlain) return;
      const messages = from(data.messages as readonly FetchedRecord[], BigInt(fetchedOffset));
      Object.assign(this, { rawMessages: data.messages, messagesWithinOffset: messages, messages });
    }
  };
}

const isPlainRecord = (message: unknown): boolean => message instanceof FetchedRecord && !message.isControlRecord;

function from(messages: readonly FetchedRecord[], fetchedOffset: bigint): readonly FetchedRecord[] {
  const first = messages.findIndex(({ offset }) => BigInt(offset) >= fetchedOffset);
  return first < 0 ? [] : messages.slice(first);
}
