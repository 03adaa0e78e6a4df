import { randomUUID } from 'node:crypto';
import { header, identifyTopic, type Topic, trackTopic } from '@sluice/contracts';
import { type OutgoingMessage } from '@sluice/kafka';
import { asRepeat, MessageLoad } from '../load/load.js';

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
  private readonly load: MessageLoad;

  constructor(brokers: readonly string[]) {
    this.load = new MessageLoad(brokers, [trackTopic.name, identifyTopic.name]);
  }

  async start(messagesPerSecond: number): Promise<void> {
    await this.load.start();
    this.resume(messagesPerSecond);
  }

  resume(messagesPerSecond: number): void {
    this.load.every((1_000 * perSend) / messagesPerSecond, () => void this.send(makeMessages(perSend, 5)));
  }

  /** Sends `count` messages as fast as they are acknowledged. */
  async burst(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += perBurst) await this.send(makeMessages(perBurst, 50));
  }

  /** Sends some acknowledged messages again, marked as the gateway marks a client's repeat. */
  repeatSome(): void {
    for (let start = 0; start < this.some.length; start += perSend) {
      void this.load.send(this.some.slice(start, start + perSend).map((message) => asRepeat(outgoing(message))));
    }
  }

  /** Pauses sending. Resolves when everything sent is acknowledged. */
  pause(): Promise<void> {
    return this.load.pause();
  }

  stop(): Promise<void> {
    return this.load.stop();
  }

  private async send(messages: readonly Sent[]): Promise<void> {
    await this.load.send(messages.map(outgoing));
    for (const message of messages) (message.topic === trackTopic ? this.events : this.identifies).add(message.id);
    if (this.some.length < maxRepeats) this.some.push(...messages);
  }
}

/** New messages, of which each `nth` is an identify. */
const makeMessages = (count: number, nth: number): Sent[] =>
  Array.from({ length: count }, (_, i) => (i % nth === 0 ? anIdentify() : anEvent()));

/** Each message has a time of its own: of two about one trait at the same time, either may win. */
let latest = 0;
function aTime(): string {
  latest = Math.max(latest + 1, Date.now());
  return new Date(latest).toISOString();
}

const person = (): string => `user-${Math.floor(Math.random() * 500)}`;

function makeRowMessage(topic: Topic, columns: object, ids: { user_id?: string; anonymous_id?: string }): Sent {
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
  const userId = person();
  const properties = { product_id: `p-${Math.floor(Math.random() * 20)}`, price: 4.5 };
  return makeRowMessage(
    trackTopic,
    { event: Math.random() < 0.5 ? 'product_viewed' : 'order_completed', properties },
    // A third precede the sign-in: an identify, perhaps on another shard's partition, assigns them to the person.
    Math.random() < 0.33 ? { anonymous_id: `device-of-${userId}` } : { user_id: userId },
  );
}

function anIdentify(): Sent {
  const userId = person();
  return makeRowMessage(
    identifyTopic,
    { traits: { plan: Math.random() < 0.5 ? 'free' : 'pro' } },
    { user_id: userId, anonymous_id: `device-of-${userId}` },
  );
}

const outgoing = ({ topic, key, value }: Sent): OutgoingMessage => ({
  topic: topic.name,
  key,
  value,
  headers: { [header.contract]: topic.contract },
});
