import { header } from '@sluice/contracts';
import { type OutgoingMessage } from '@sluice/kafka';
import { asRepeat, MessageLoad } from '../../load/load.js';
import { type Stream, type StreamName, streams } from './stream.js';

const tickMs = 200;
/** Limit of pending sends, above which the timer starts no new ones. */
const maxSends = 60;

type Change = (row: Record<string, unknown>) => object;

/** Publishes messages of every stream at its rate. Retries each until Kafka acknowledges it. */
export class ThousandLoad {
  /** Creation time of each message, by its number. */
  private readonly madeAt = new Map<StreamName, number[]>(streams.map(({ name }) => [name, []]));
  private readonly load: MessageLoad;

  constructor(brokers: readonly string[]) {
    this.load = new MessageLoad(
      brokers,
      streams.map(({ topic }) => topic.name),
    );
  }

  /** Sends that had to be repeated. */
  get repeated(): number {
    return this.load.repeated;
  }

  start(): Promise<void> {
    return this.load.start();
  }

  resume(): void {
    this.load.every(tickMs, () => {
      if (this.load.pending > maxSends) return;
      for (const stream of streams) void this.send(stream, Math.round((stream.rowsPerSecond * tickMs) / 1_000));
    });
  }

  /** Pauses the load. Resolves when everything sent is acknowledged. */
  pause(): Promise<void> {
    return this.load.pause();
  }

  stop(): Promise<void> {
    return this.load.abort();
  }

  /** Number of messages of a stream sent so far. */
  sentCount({ name }: Stream): number {
    return this.sendTimes(name).length;
  }

  /** Sends `count` new messages; resolves when they are acknowledged. `change` alters their rows. */
  async send(stream: Stream, count: number, change?: Change): Promise<void> {
    await this.load.send(this.makeMessages(stream, count, change));
  }

  /** Sends like `send`, with Kafka timestamps in the past, as if the messages had waited for `ageMs`. */
  async sendAged(stream: Stream, count: number, ageMs: number): Promise<void> {
    const producer = this.load.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    const timestamp = String(Date.now() - ageMs);
    try {
      await this.load.send(this.makeMessages(stream, count), async (messages) => {
        const aged = messages.map(({ key, value, headers }) => ({ key, value, headers, timestamp }));
        await producer.send({ topic: stream.topic.name, acks: -1, messages: aged });
      });
    } finally {
      await producer.disconnect();
    }
  }

  /** Sends earlier messages again, like clients that repeat a request. */
  async repeat(stream: Stream, numbers: readonly number[]): Promise<void> {
    const times = this.sendTimes(stream.name);
    await this.load.send(numbers.map((n) => asRepeat(makeMessage(stream, stream.makeRow(n, times[n] ?? 0)))));
  }

  private makeMessages(stream: Stream, count: number, change: Change = (row) => row): OutgoingMessage[] {
    const times = this.sendTimes(stream.name);
    return Array.from({ length: count }, () => {
      const n = times.push(Date.now()) - 1;
      return makeMessage(stream, change(stream.makeRow(n, times[n] ?? 0)));
    });
  }

  private sendTimes(name: StreamName): number[] {
    return this.madeAt.get(name) ?? [];
  }
}

const makeMessage = (stream: Stream, row: object): OutgoingMessage => ({
  topic: stream.topic.name,
  key: stream.name === 'interaction' ? String((row as { notification_id?: string }).notification_id) : personKey(row),
  value: JSON.stringify(row),
  headers: { [header.contract]: stream.topic.contract },
});

const personKey = (row: { user_id?: string; id?: string }): string => row.user_id ?? row.id ?? '';
