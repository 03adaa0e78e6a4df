import { setTimeout as sleep } from 'node:timers/promises';
import { header } from '@sluice/contracts';
import { createKafka, type OutgoingMessage, Publisher, Sender } from '@sluice/kafka';
import { type Stream, type StreamName, streams } from './stream.js';

const tickMs = 200;
const retryMs = 2_000;
/** Number of waiting sends above which the timer begins no more. */
const mostSends = 60;

/** Publishes the messages of every stream at its rate; what Kafka did not acknowledge is sent until it does. */
export class Load {
  /** Creation time of each message, by its number. */
  private readonly madeAt = new Map<StreamName, number[]>(streams.map(({ name }) => [name, []]));
  private readonly publisher: Publisher;
  private readonly sends = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  /** Sends that had to be repeated. */
  repeated = 0;

  constructor(brokers: readonly string[]) {
    const topics = streams.map(({ topic }) => topic.name);
    this.publisher = new Publisher(new Sender(createKafka({ KAFKA_BROKERS: [...brokers] }, 'faults'), topics));
  }

  async start(): Promise<void> {
    await this.publisher.start();
  }

  resume(): void {
    this.timer ??= setInterval(() => {
      if (this.sends.size > mostSends) return;
      for (const stream of streams) void this.send(stream, Math.round((stream.rowsPerSecond * tickMs) / 1_000));
    }, tickMs);
  }

  /** Resolves when all that was sent is acknowledged. */
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
  send(stream: Stream, count: number, change: (row: Record<string, unknown>) => object = (row) => row): Promise<void> {
    const times = this.timesOf(stream.name);
    const messages = Array.from({ length: count }, () => {
      const n = times.push(Date.now()) - 1;
      return messageOf(stream, change(stream.rowOf(n, times[n] ?? 0)));
    });
    return this.until(messages);
  }

  /** Sends what was sent before, as clients that repeat a request do. */
  repeat(stream: Stream, numbers: readonly number[]): Promise<void> {
    const times = this.timesOf(stream.name);
    return this.until(numbers.map((n) => asRepeat(messageOf(stream, stream.rowOf(n, times[n] ?? 0)))));
  }

  private timesOf(name: StreamName): number[] {
    return this.madeAt.get(name) ?? [];
  }

  private until(messages: OutgoingMessage[]): Promise<void> {
    const sending = this.publish(messages).finally(() => this.sends.delete(sending));
    this.sends.add(sending);
    return sending;
  }

  private async publish(messages: OutgoingMessage[]): Promise<void> {
    let left = messages;
    while (!this.isStopped) {
      try {
        await this.publisher.publish(left);
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
