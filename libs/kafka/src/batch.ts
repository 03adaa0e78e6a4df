import type { IHeaders } from 'kafkajs';
import { type TimedMessage } from './kafkajs/produce-request.js';
import { markedAsRepeat } from './marked-as-repeat.js';
import { partitionOf } from './partitioner.js';

interface ToPlace {
  topic: string;
  key: string;
  value: string | Buffer;
  headers: IHeaders;
}

/** The messages of one send, by topic and partition. */
export class Batch {
  private readonly byTopic = new Map<string, TimedMessage[]>();

  /** @param sendBefore after this (performance.now) kafkajs does not begin to send it any more. */
  constructor(
    private readonly partitions: ReadonlyMap<string, number>,
    private readonly sendBefore: number,
  ) {}

  get isLate(): boolean {
    return performance.now() > this.sendBefore;
  }

  get topicMessages(): { topic: string; messages: TimedMessage[] }[] {
    return [...this.byTopic].map(([topic, messages]) => ({ topic, messages }));
  }

  /** @returns where the message goes, as `topic:partition`. */
  place({ topic, key, value, headers }: ToPlace): string {
    const keyBytes = Buffer.from(key);
    const partition = partitionOf(keyBytes, this.partitions.get(topic) ?? 1);
    const messages = this.byTopic.get(topic);
    const message = { key: keyBytes, value, headers, partition, sendBefore: this.sendBefore };
    if (messages) messages.push(message);
    else this.byTopic.set(topic, [message]);
    return `${topic}:${partition}`;
  }

  /** The messages of a request share their headers, which are marked, and later encoded, once. */
  markAsRepeat(): void {
    const marked = new Map<IHeaders | undefined, IHeaders>();
    for (const messages of this.byTopic.values()) {
      for (const message of messages) {
        const headers = marked.get(message.headers) ?? markedAsRepeat(message.headers);
        marked.set(message.headers, headers);
        message.headers = headers;
      }
    }
  }
}
