import { type IHeaders, type TimedMessage } from '@sluice/kafkajs';
import { markedAsRepeat } from './marked-as-repeat.js';
import { hashKey, partitionForHash } from '@sluice/contracts';
import { type OutgoingMessage } from './outgoing-message.js';

interface TopicBatch {
  messages: TimedMessage[];
  partitions: number;
  /** Names (`topic:partition`) of the partitions in use: each is created and hashed once, not for every message. */
  names: string[];
}

/** The messages of one send, by topic and partition. */
export class SendBatch {
  private readonly byTopic = new Map<string, TopicBatch>();

  /** @param sendBefore time (performance.now) after which kafkajs must not begin to send the batch */
  constructor(
    private readonly partitions: ReadonlyMap<string, number>,
    private readonly sendBefore: number,
  ) {}

  get isLate(): boolean {
    return performance.now() > this.sendBefore;
  }

  get topicMessages(): { topic: string; messages: TimedMessage[] }[] {
    return [...this.byTopic].map(([topic, { messages }]) => ({ topic, messages }));
  }

  /** Adds a message. @returns its partition, as `topic:partition` */
  place(message: OutgoingMessage, valueBytes = Buffer.byteLength(message.value)): string {
    const { topic, key, hashedKey, value, headers } = message;
    const topicBatch = this.byTopic.get(topic) ?? this.add(topic);
    const keyBytes = hashedKey?.bytes ?? Buffer.from(key);
    const partition =
      usablePartition(topicBatch.partitions, message.partition) ??
      partitionForHash(hashedKey?.hash ?? hashKey(keyBytes), topicBatch.partitions);
    topicBatch.messages.push({ key: keyBytes, value, valueBytes, headers, partition, sendBefore: this.sendBefore });
    return (topicBatch.names[partition] ??= `${topic}:${partition}`);
  }

  /** Sets the partition of messages that were placed in this batch, for every later send of them. */
  pin(messages: readonly OutgoingMessage[]): void {
    pinTo(messages, (topic) => this.byTopic.get(topic)?.partitions);
  }

  /** Marks all messages. Messages of a request share one headers object, which is marked, and later encoded, once. */
  markAsRepeat(): void {
    const marked = new Map<IHeaders | undefined, IHeaders>();
    for (const { messages } of this.byTopic.values()) {
      for (const message of messages) {
        const headers = marked.get(message.headers) ?? markedAsRepeat(message.headers);
        marked.set(message.headers, headers);
        message.headers = headers;
      }
    }
  }

  private add(topic: string): TopicBatch {
    const topicBatch: TopicBatch = { messages: [], partitions: this.partitions.get(topic) ?? 1, names: [] };
    this.byTopic.set(topic, topicBatch);
    return topicBatch;
  }
}

/** The partition of a message; undefined when it has none, or its topic was recreated with fewer partitions. */
const usablePartition = (partitions: number, partition: number | undefined): number | undefined =>
  partition !== undefined && partition < partitions ? partition : undefined;

/** Sets the partition of messages that have none, as far as the numbers of partitions are known. */
export function pinTo(
  messages: readonly OutgoingMessage[],
  countPartitions: (topic: string) => number | undefined,
): void {
  for (const message of messages) {
    if (message.partition !== undefined) continue;
    const partitions = countPartitions(message.topic);
    if (partitions === undefined) continue;
    message.partition = partitionForHash(message.hashedKey?.hash ?? hashKey(message.key), partitions);
  }
}
