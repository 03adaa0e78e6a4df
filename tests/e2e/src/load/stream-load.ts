import { setTimeout as sleep } from 'node:timers/promises';
import { header, type Topic } from '@sluice/contracts';
import { createKafka, type Kafka, type OutgoingMessage, Publisher, Sender } from '@sluice/kafka';

/** Messages of one topic as data. They are numbered, so that missing ones can be identified. */
export interface LoadStream {
  readonly topic: Topic;
  readonly rowsPerSecond: number;
  /** Whether no two messages have the same time: of two about one trait at the same time, either may win. */
  readonly hasOwnTimes?: boolean;
  readonly makeId: (n: number) => string;
  /** The row of a number; every call gives the same row except for its request id. */
  readonly makeRow: (n: number, time: number) => Record<string, unknown>;
  readonly readKey: (row: Record<string, unknown>) => string;
}

/** Messages of a stream that were made so far. */
interface Progress {
  /** Creation time of each message, by its number. */
  readonly times: number[];
  /** Numbers of some acknowledged messages. */
  readonly repeatable: number[];
  acknowledged: number;
}

type Change = (row: Record<string, unknown>) => Record<string, unknown>;
type Send = (messages: readonly OutgoingMessage[]) => Promise<void>;

const tickMs = 200;
/** Limit of pending sends, above which the timer starts no new ones. */
const maxSends = 60;
const maxRepeatable = 2_000;
const perBurst = 1_000;
const retryMs = 500;

/**
 * Publishes messages of streams, steadily or at once, and repeats each until Kafka acknowledges it. A repeat is marked, as
 * the gateway marks it.
 */
export class StreamLoad<Stream extends LoadStream = LoadStream> {
  /** Sends that had to be repeated. */
  repeated = 0;
  private readonly kafka: Kafka;
  private readonly publisher: Publisher;
  private readonly progress: ReadonlyMap<Stream, Progress>;
  private readonly pendingSends = new Set<Promise<boolean>>();
  private timer: NodeJS.Timeout | undefined;
  private isAborted = false;

  constructor(
    brokers: readonly string[],
    private readonly streams: readonly Stream[],
  ) {
    this.kafka = createKafka({ KAFKA_BROKERS: [...brokers] }, 'load');
    const topics = streams.map(({ topic }) => topic.name);
    this.publisher = new Publisher(new Sender(this.kafka, topics));
    this.progress = new Map(streams.map((stream) => [stream, { times: [], repeatable: [], acknowledged: 0 }]));
  }

  start(): Promise<void> {
    return this.publisher.start();
  }

  /** Sends each stream at its rate, or `speed` times as fast, until `pause`. */
  resume(speed = 1): void {
    this.timer ??= setInterval(() => {
      if (this.pendingSends.size > maxSends) return;
      for (const stream of this.streams)
        void this.send(stream, Math.round((speed * stream.rowsPerSecond * tickMs) / 1_000));
    }, tickMs);
  }

  /** Pauses the load. Resolves when everything sent is acknowledged. */
  async pause(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    await Promise.all(this.pendingSends);
  }

  async stop(): Promise<void> {
    await this.pause();
    await this.publisher.stop();
  }

  /** Stops without repeating messages that Kafka does not acknowledge. */
  async abort(): Promise<void> {
    this.isAborted = true;
    await this.stop();
  }

  sentCount(stream: Stream): number {
    return this.progressOf(stream).times.length;
  }

  acknowledgedCount(stream: Stream): number {
    return this.progressOf(stream).acknowledged;
  }

  /** Ids of all messages of a stream: while the load pauses, those that Kafka has acknowledged. */
  ids(stream: Stream): ReadonlySet<string> {
    return new Set(this.progressOf(stream).times.map((_, n) => stream.makeId(n)));
  }

  /** Sends `count` new messages; resolves when they are acknowledged. `change` alters their rows. */
  send(stream: Stream, count: number, change?: Change): Promise<void> {
    return this.sendNew(stream, count, (messages) => this.publisher.publish([...messages]), change);
  }

  /** Sends `count` new messages as fast as they are acknowledged. */
  async burst(stream: Stream, count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += perBurst) await this.send(stream, Math.min(perBurst, count - sent));
  }

  /** Sends like `send`, with Kafka timestamps in the past, as if the messages had waited for `ageMs`. */
  async sendAged(stream: Stream, count: number, ageMs: number): Promise<void> {
    const producer = this.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    const timestamp = String(Date.now() - ageMs);
    try {
      await this.sendNew(stream, count, async (messages) => {
        const aged = messages.map(({ key, value, headers }) => ({ key, value, headers, timestamp }));
        await producer.send({ topic: stream.topic.name, acks: -1, messages: aged });
      });
    } finally {
      await producer.disconnect();
    }
  }

  /** Sends earlier messages again, like clients that repeat a request. */
  async repeat(stream: Stream, numbers: readonly number[]): Promise<void> {
    const { times } = this.progressOf(stream);
    const messages = numbers.map((n) => markAsRepeat(makeMessage(stream, stream.makeRow(n, times[n] ?? 0))));
    await this.untilAcknowledged(messages, (remaining) => this.publisher.publish([...remaining]));
  }

  /** Sends some acknowledged messages of each stream again. */
  repeatSome(): void {
    for (const [stream, { repeatable }] of this.progress)
      for (let start = 0; start < repeatable.length; start += perBurst)
        void this.repeat(stream, repeatable.slice(start, start + perBurst));
  }

  private async sendNew(stream: Stream, count: number, via: Send, change: Change = (row) => row): Promise<void> {
    const progress = this.progressOf(stream);
    const numbers = Array.from({ length: count }, () => progress.times.push(nextTime(stream, progress)) - 1);
    const messages = numbers.map((n) => makeMessage(stream, change(stream.makeRow(n, progress.times[n] ?? 0))));
    if (!(await this.untilAcknowledged(messages, via))) return;
    progress.acknowledged += count;
    progress.repeatable.push(...numbers.slice(0, maxRepeatable - progress.repeatable.length));
  }

  /** Resolves with true when Kafka has acknowledged all messages, and with false after `abort`. */
  private untilAcknowledged(messages: readonly OutgoingMessage[], via: Send): Promise<boolean> {
    const sending = this.retry(messages, via).finally(() => this.pendingSends.delete(sending));
    this.pendingSends.add(sending);
    return sending;
  }

  private async retry(messages: readonly OutgoingMessage[], via: Send): Promise<boolean> {
    let remaining = messages;
    while (!this.isAborted) {
      try {
        await via(remaining);
        return true;
      } catch {
        this.repeated += 1;
        remaining = messages.map(markAsRepeat);
        await sleep(retryMs);
      }
    }
    return false;
  }

  private progressOf(stream: Stream): Progress {
    const progress = this.progress.get(stream);
    if (!progress) throw new RangeError('the load does not have this stream');
    return progress;
  }
}

const nextTime = ({ hasOwnTimes = false }: LoadStream, { times }: Progress): number =>
  hasOwnTimes ? Math.max(Date.now(), (times.at(-1) ?? 0) + 1) : Date.now();

const makeMessage = ({ topic, readKey }: LoadStream, row: Record<string, unknown>): OutgoingMessage => ({
  topic: topic.name,
  key: readKey(row),
  value: JSON.stringify(row),
  headers: { [header.contract]: topic.contract },
});

/** Marks a message as a possible repeat. */
const markAsRepeat = (message: OutgoingMessage): OutgoingMessage => ({
  ...message,
  headers: { ...message.headers, [header.possibleRepeat]: '1' },
});
