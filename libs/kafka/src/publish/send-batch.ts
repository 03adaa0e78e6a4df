import { type IHeaders, type TimedMessage } from '@sluice/kafkajs';
import { markedAsRepeat } from './marked-as-repeat.js';
import { partitionOf } from '@sluice/contracts';

interface ToPlace {
  topic: string;
  key: string;
  value: string | Buffer;
  headers: IHeaders;
}

interface OfTopic {
  messages: TimedMessage[];
  partitions: number;
  /** Of each partition that has been asked for, the one text by which it is known: made and hashed once, not per message. */
  names: string[];
}

/** The messages of one send, by topic and partition. */
export class SendBatch {
  private readonly byTopic = new Map<string, OfTopic>();

  /** @param sendBefore after this (performance.now) kafkajs does not begin to send it any more. */
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

  /** @returns where the message goes, as `topic:partition`. */
  place({ topic, key, value, headers }: ToPlace, valueBytes = Buffer.byteLength(value)): string {
    const ofTopic = this.byTopic.get(topic) ?? this.add(topic);
    const keyBytes = Buffer.from(key);
    const partition = partitionOf(keyBytes, ofTopic.partitions);
    ofTopic.messages.push({ key: keyBytes, value, valueBytes, headers, partition, sendBefore: this.sendBefore });
    return (ofTopic.names[partition] ??= `${topic}:${partition}`);
  }

  /** The messages of a request share their headers, which are marked, and later encoded, once. */
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

  private add(topic: string): OfTopic {
    const ofTopic: OfTopic = { messages: [], partitions: this.partitions.get(topic) ?? 1, names: [] };
    this.byTopic.set(topic, ofTopic);
    return ofTopic;
  }
}
