import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { header, identifyTopic, type Topic, trackTopic } from '@sluice/contracts';
import { createKafka, type OutgoingMessage, Publisher, Sender } from '@sluice/kafka';

const source = 'ShardSource1';
const perSend = 100;
const perBurst = 1_000;
const maxRepeats = 2_000;

interface Sent {
  readonly id: string;
  readonly topic: Topic;
  readonly key: string;
  readonly value: string;
}

/** Publishes events and identifies of many persons, remembers what Kafka acknowledged, and sends some of it again. */
export class ShardLoad {
  readonly source = source;
  readonly events = new Set<string>();
  readonly identifies = new Set<string>();
  /** Some of the acknowledged messages. */
  private readonly some: Sent[] = [];
  private readonly publisher: Publisher;
  private readonly sends = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(brokers: string[]) {
    const kafka = createKafka({ KAFKA_BROKERS: brokers }, 'shards');
    this.publisher = new Publisher(new Sender(kafka, [trackTopic.name, identifyTopic.name]));
  }

  async start(messagesPerSecond: number): Promise<void> {
    await this.publisher.start();
    this.goOn(messagesPerSecond);
  }

  goOn(messagesPerSecond: number): void {
    this.timer = setInterval(
      () =>
        this.begin(
          Array.from({ length: perSend }, (_, i) => (i % 5 === 0 ? anIdentify() : anEvent())),
          false,
        ),
      (1_000 * perSend) / messagesPerSecond,
    );
  }

  /** Sends so many messages as fast as they are acknowledged. */
  async burst(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += perBurst)
      await this.send(
        Array.from({ length: perBurst }, (_, i) => (i % 50 === 0 ? anIdentify() : anEvent())),
        false,
      );
  }

  /** Sends messages that were acknowledged before once more, marked as the gateway marks a client's repeat. */
  repeatSome(): void {
    for (let at = 0; at < this.some.length; at += perSend) this.begin(this.some.slice(at, at + perSend), true);
  }

  /** Resolves when everything is acknowledged; sends nothing until `goOn`. */
  async rest(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.sends);
  }

  async stop(): Promise<void> {
    await this.rest();
    await this.publisher.stop();
  }

  private begin(messages: readonly Sent[], areRepeats: boolean): void {
    const send = this.send(messages, areRepeats).finally(() => this.sends.delete(send));
    this.sends.add(send);
  }

  private async send(messages: readonly Sent[], areRepeats: boolean): Promise<void> {
    for (let isRepeat = areRepeats; ; isRepeat = true) {
      try {
        await this.publisher.publish(messages.map((one) => outgoing(one, isRepeat)));
        break;
      } catch {
        await sleep(500);
      }
    }
    for (const one of messages) (one.topic === trackTopic ? this.events : this.identifies).add(one.id);
    if (!areRepeats && this.some.length < maxRepeats) this.some.push(...messages);
  }
}

/** Each message has a time of its own: of two about one trait at the same time, either may win. */
let latest = 0;
function aTime(): string {
  latest = Math.max(latest + 1, Date.now());
  return new Date(latest).toISOString();
}

const person = (): string => `user-${Math.floor(Math.random() * 500)}`;

function rowOf(topic: Topic, columns: object, ids: { user_id?: string; anonymous_id?: string }): Sent {
  const [id, now] = [randomUUID(), aTime()];
  const row = {
    source_id: source,
    request_id: randomUUID(),
    received_at: now,
    message_id: id,
    timestamp: now,
    ...ids,
    ...columns,
  };
  return { id, topic, key: `${source}:${ids.user_id ?? ids.anonymous_id ?? ''}`, value: JSON.stringify(row) };
}

function anEvent(): Sent {
  const who = person();
  const properties = { product_id: `p-${Math.floor(Math.random() * 20)}`, price: 4.5 };
  return rowOf(
    trackTopic,
    { event: Math.random() < 0.5 ? 'product_viewed' : 'order_completed', properties },
    // A third came before its person signed in: it is theirs by an identify that lies on another shard's partition.
    Math.random() < 0.33 ? { anonymous_id: `device-of-${who}` } : { user_id: who },
  );
}

function anIdentify(): Sent {
  const who = person();
  return rowOf(
    identifyTopic,
    { traits: { plan: Math.random() < 0.5 ? 'free' : 'pro' } },
    { user_id: who, anonymous_id: `device-of-${who}` },
  );
}

const outgoing = ({ topic, key, value }: Sent, isRepeat: boolean): OutgoingMessage => ({
  topic: topic.name,
  key,
  value,
  headers: { [header.contract]: topic.contract, ...(isRepeat && { [header.possibleRepeat]: '1' }) },
});
