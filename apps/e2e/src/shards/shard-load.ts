import { randomUUID } from 'node:crypto';
import { header, identifyTopic, type Topic, trackTopic } from '@sluice/contracts';
import { type OutgoingMessage } from '@sluice/kafka';
import { asRepeat, Load } from '../load/load.js';

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
  private readonly load: Load;

  constructor(brokers: readonly string[]) {
    this.load = new Load(brokers, [trackTopic.name, identifyTopic.name]);
  }

  async start(messagesPerSecond: number): Promise<void> {
    await this.load.start();
    this.resume(messagesPerSecond);
  }

  resume(messagesPerSecond: number): void {
    this.load.every((1_000 * perSend) / messagesPerSecond, () => void this.send(messagesOf(perSend, 5)));
  }

  /** Sends `count` messages as fast as they are acknowledged. */
  async burst(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += perBurst) await this.send(messagesOf(perBurst, 50));
  }

  /** Sends some acknowledged messages again, marked as the gateway marks a client's repeat. */
  repeatSome(): void {
    for (let at = 0; at < this.some.length; at += perSend) {
      void this.load.send(this.some.slice(at, at + perSend).map((one) => asRepeat(outgoing(one))));
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
    for (const one of messages) (one.topic === trackTopic ? this.events : this.identifies).add(one.id);
    if (this.some.length < maxRepeats) this.some.push(...messages);
  }
}

/** New messages, of which each `nth` is an identify. */
const messagesOf = (count: number, nth: number): Sent[] =>
  Array.from({ length: count }, (_, i) => (i % nth === 0 ? anIdentify() : anEvent()));

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
    // A third precede the sign-in: an identify, perhaps on another shard's partition, assigns them to the person.
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

const outgoing = ({ topic, key, value }: Sent): OutgoingMessage => ({
  topic: topic.name,
  key,
  value,
  headers: { [header.contract]: topic.contract },
});
