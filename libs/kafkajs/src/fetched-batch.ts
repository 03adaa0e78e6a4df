import { type createRequire } from 'node:module';
import { FetchedRecord } from './fetched-record.js';
import { replaceModule } from './replace-module.js';
import { undecodableAfter, type UndecodableBatch } from './undecodable-batch.js';

interface PartitionData {
  readonly messages: readonly unknown[];
  readonly abortedTransactions?: readonly unknown[] | null;
}

interface Batch {
  readonly rawMessages: readonly unknown[];
  isEmpty(): boolean;
  lastOffset(): string;
}
type BatchClass = new (topic: string, fetchedOffset: string, data: PartitionData) => Batch;

/**
 * kafkajs sorts out what lies before the offset it asked for by two BigInts for each message. Offsets ascend: here it
 * looks only until the first that is wanted. Batches with aborted transactions or control records stay its own.
 * A batch that is followed by one that cannot be decoded says so, and is handed over also when it has nothing else.
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
      const messages = from(data.messages as readonly FetchedRecord[], BigInt(fetchedOffset));
      Object.assign(this, { rawMessages: data.messages, messagesWithinOffset: messages, messages });
    }

    override isEmpty(): boolean {
      return this.undecodable === undefined && super.isEmpty();
    }

    /** kafkajs takes a batch without messages for the end of the log. */
    override lastOffset(): string {
      return this.nothingAfter === undefined ? super.lastOffset() : String(this.nothingAfter);
    }
  };
}

const isPlainRecord = (message: unknown): boolean => message instanceof FetchedRecord && !message.isControlRecord;

function from(messages: readonly FetchedRecord[], fetchedOffset: bigint): readonly FetchedRecord[] {
  const first = messages.findIndex(({ offset }) => BigInt(offset) >= fetchedOffset);
  return first < 0 ? [] : messages.slice(first);
}
