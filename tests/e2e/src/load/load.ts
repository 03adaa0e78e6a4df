import { setTimeout as sleep } from 'node:timers/promises';
import { header } from '@sluice/contracts';
import { createKafka, type Kafka, type OutgoingMessage, Publisher, Sender } from '@sluice/kafka';

type Send = (messages: readonly OutgoingMessage[]) => Promise<void>;

const retryMs = 500;

/**
 * Sends messages, steadily or at once, and repeats them until Kafka acknowledges them. A repeat is marked, as the
 * gateway marks it.
 */
export class MessageLoad {
  readonly kafka: Kafka;
  private readonly publisher: Publisher;
  private readonly sends = new Set<Promise<boolean>>();
  private timer: NodeJS.Timeout | undefined;
  private isAborted = false;
  /** Sends that had to be repeated. */
  repeated = 0;

  constructor(brokers: readonly string[], topics: readonly string[]) {
    this.kafka = createKafka({ KAFKA_BROKERS: [...brokers] }, 'load');
    this.publisher = new Publisher(new Sender(this.kafka, topics));
  }

  /** Number of sends that are not acknowledged yet. */
  get pending(): number {
    return this.sends.size;
  }

  start(): Promise<void> {
    return this.publisher.start();
  }

  /** Calls `send` at this interval until `pause`. */
  every(intervalMs: number, send: () => void): void {
    this.timer ??= setInterval(send, intervalMs);
  }

  /** Resolves with true when Kafka has acknowledged all messages, and with false after `abort`. */
  send(
    messages: readonly OutgoingMessage[],
    via: Send = (messages) => this.publisher.publish([...messages]),
  ): Promise<boolean> {
    const sending = this.untilAcknowledged(messages, via).finally(() => this.sends.delete(sending));
    this.sends.add(sending);
    return sending;
  }

  /** Stops the steady load. Resolves when everything sent is acknowledged. */
  async pause(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    await Promise.all(this.sends);
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

  private async untilAcknowledged(messages: readonly OutgoingMessage[], via: Send): Promise<boolean> {
    let remaining = messages;
    while (!this.isAborted) {
      try {
        await via(remaining);
        return true;
      } catch {
        this.repeated += 1;
        remaining = messages.map(asRepeat);
        await sleep(retryMs);
      }
    }
    return false;
  }
}

/** A message marked as a possible repeat. */
export const asRepeat = (message: OutgoingMessage): OutgoingMessage => ({
  ...message,
  headers: { ...message.headers, [header.possibleRepeat]: '1' },
});
