// Takes the place of kafkajs/src/consumer/batch.js.
import { type createRequire } from 'node:module';
import { copyOut } from './copy-out.js';
import { FetchedRecord } from './fetched-record.js';
import { replaceModule } from './replace-module.js';
import { undecodableAfter, type UndecodableBatch } from './undecodable-batch.js';

interface PartitionData {
  readonly messages: readonly unknown[];
  readonly abortedTransactions?: readonly unknown[] | null;
}

interface KafkaBatch {
  readonly rawMessages: readonly unknown[];
  readonly fetchedOffset: string;
  isEmpty(): boolean;
  lastOffset(): string;
}
type BatchClass = new (topic: string, fetchedOffset: string, data: PartitionData) => KafkaBatch;

/**
 * kafkajs makes two BigInts of each message to drop those before the offset that it asked for. Offsets ascend, so the
 * replacement looks only for the first message that is wanted. Batches with aborted transactions or control records
 * stay kafkajs' own. A batch before an undecodable one carries that error, and is handed over even if it is empty.
 */
export function replaceBatch(require: ReturnType<typeof createRequire>): void {
  replaceModule(require, 'kafkajs/src/consumer/batch.js', batchWith);
}

export function batchWith(Batch: BatchClass): BatchClass {
  return class FetchedBatch extends Batch {
    readonly undecodable: UndecodableBatch | undefined;
    /** The offset after which nothing was read. */
    private readonly nothingAfter: bigint | undefined;

    constructor(topic: string, fetchedOffset: string, data: PartitionData) {
      const isPlain = !data.abortedTransactions?.length && data.messages.every(isPlainRecord);
      super(topic, fetchedOffset, isPlain ? { ...data, messages: [] } : data);
      this.undecodable = undecodableAfter(data.messages);
      if (this.undecodable && data.messages.length === 0) this.nothingAfter = BigInt(fetchedOffset) - 1n;
      if (!isPlain) return;
      const messages = recordsFrom(data.messages as readonly FetchedRecord[], BigInt(fetchedOffset));
      Object.assign(this, { rawMessages: data.messages, messagesWithinOffset: messages, messages });
    }

    override isEmpty(): boolean {
      return this.undecodable === undefined && super.isEmpty();
    }

    /** Replaces kafkajs' own, which mistakes a batch without messages for the end of the log. */
    override lastOffset(): string {
      return this.nothingAfter === undefined ? super.lastOffset() : String(this.nothingAfter);
    }
  };
}

const isPlainRecord = (message: unknown): boolean => message instanceof FetchedRecord && !message.isControlRecord;

function recordsFrom(messages: readonly FetchedRecord[], fetchedOffset: bigint): readonly FetchedRecord[] {
  const first = messages.findIndex(({ offset }) => BigInt(offset) >= fetchedOffset);
  return first < 0 ? [] : messages.slice(first);
}

/** The offset that the fetch asked for, which kafkajs' types leave out. */
export const readFetchedOffset = (batch: object): string => (batch as KafkaBatch).fetchedOffset;

/**
 * Frees the messages of a batch that was taken. kafkajs' function that commits keeps its batch until the next one
 * comes: on an idle partition for ever. `resolveOffset` must have been called: the batch forgets its last offset.
 */
export function release(batch: object): void {
  const { messages } = batch as { messages: readonly object[] };
  // The function also keeps the last message, which must not keep its whole answer in memory.
  copyOut(messages.slice(-1), 1);
  Object.assign(batch, { rawMessages: [], messagesWithinOffset: [], messages: [] });
}
