import { setTimeout as sleep } from 'node:timers/promises';
import { header } from '@sluice/contracts';
import { createKafka, type Kafka, type OutgoingMessage, Publisher, Sender } from '@sluice/kafka';
import { type Stream, type StreamName, streams } from './stream.js';

const tickMs = 200;
const retryMs = 2_000;
/** Limit of pending sends, above which the timer starts no new ones. */
const maxSends = 60;

type Change = (row: Record<string, unknown>) => object;
type Send = (messages: readonly OutgoingMessage[]) => Promise<void>;

/** Publishes messages of every stream at its rate. Retries each until Kafka acknowledges it. */
export class ThousandLoad {
  /** Creation time of each message, by its number. */
  private readonly madeAt = new Map<StreamName, number[]>(streams.map(({ name }) => [name, []]));
  private readonly kafka: Kafka;
  private readonly publisher: Publisher;
  private readonly sends = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  /** Sends that had to be repeated. */
  repeated = 0;

  constructor(brokers: readonly string[]) {
    const topics = streams.map(({ topic }) => topic.name);
    this.kafka = createKafka({ KAFKA_BROKERS: [...brokers] }, 'faults');
    this.publisher = new Publisher(new Sender(this.kafka, topics));
  }

  async start(): Promise<void> {
    await this.publisher.start();
  }

  resume(): void {
    this.timer ??= setInterval(() => {
      if (this.sends.size > maxSends) return;
      for (const stream of streams) void this.send(stream, Math.round((stream.rowsPerSecond * tickMs) / 1_000));
    }, tickMs);
  }

  /** Pauses the load. Resolves when everything sent is acknowledged. */
  async pause(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    await Promise.all(this.sends);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.pause();
    await this.publisher.stop();
  }

  /** Number of messages of a stream sent so far. */
  countOf({ name }: Stream): number {
    return this.timesOf(name).length;
  }

  /** Sends `count` new messages; resolves when they are acknowledged. `change` alters their rows. */
  send(stream: Stream, count: number, change?: Change): Promise<void> {
    return this.until(this.made(stream, count, change));
  }

  /** Sends like `send`, with Kafka timestamps in the past, as if the messages had waited for `ageMs`. */
  async sendAged(stream: Stream, count: number, ageMs: number): Promise<void> {
    const producer = this.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    const timestamp = String(Date.now() - ageMs);
    try {
      await this.until(this.made(stream, count), async (messages) => {
        const aged = messages.map(({ key, value, headers }) => ({ key, value, headers, timestamp }));
        await producer.send({ topic: stream.topic.name, acks: -1, messages: aged });
      });
    } finally {
      await producer.disconnect();
    }
  }

  /** Sends earlier messages again, like clients that repeat a request. */
  repeat(stream: Stream, numbers: readonly number[]): Promise<void> {
    const times = this.timesOf(stream.name);
    return this.until(numbers.map((n) => asRepeat(messageOf(stream, stream.rowOf(n, times[n] ?? 0)))));
  }

  private made(stream: Stream, count: number, change: Change = (row) => row): OutgoingMessage[] {
    const times = this.timesOf(stream.name);
    return Array.from({ length: count }, () => {
      const n = times.push(Date.now()) - 1;
      return messageOf(stream, change(stream.rowOf(n, times[n] ?? 0)));
    });
  }

  private timesOf(name: StreamName): number[] {
    return this.madeAt.get(name) ?? [];
  }

  private until(messages: OutgoingMessage[], send: Send = (some) => this.publisher.publish(some)): Promise<void> {
    const sending = this.publish(messages, send).finally(() => this.sends.delete(sending));
    this.sends.add(sending);
    return sending;
  }

  private async publish(messages: OutgoingMessage[], send: Send): Promise<void> {
    let left = messages;
    while (!this.isStopped) {
      try {
        await send(left);
        return;
      } catch {
        this.repeated += 1;
        left = messages.map(asRepeat);
        await sleep(retryMs);
      }
    }
  }
}

const messageOf = (stream: Stream, row: object): OutgoingMessage => ({
  topic: stream.topic.name,
  key: stream.name === 'interaction' ? String((row as { notification_id?: string }).notification_id) : keyOf(row),
  value: JSON.stringify(row),
  headers: { [header.contract]: stream.topic.contract },
});

const keyOf = (row: { user_id?: string; id?: string }): string => row.user_id ?? row.id ?? '';

const asRepeat = (message: OutgoingMessage): OutgoingMessage => ({
  ...message,
  headers: { ...message.headers, [header.possibleRepeat]: '1' },
});
