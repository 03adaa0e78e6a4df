import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventRow, header, trackTopic } from '@sluice/contracts';
import { createKafka, type OutgoingMessage, Publisher, Sender } from '@sluice/kafka';

const perSend = 100;

/**
 * Publishes finished rows at a steady rate and remembers those that Kafka acknowledged. It retries the others until
 * they are acknowledged, marked as possible repeats, like the gateway.
 */
export class Generator {
  readonly acknowledged = new Set<string>();
  private readonly publisher: Publisher;
  private readonly sends = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  /** Sends that had to be repeated. */
  repeated = 0;

  constructor(brokers: string[]) {
    this.publisher = new Publisher(new Sender(createKafka({ KAFKA_BROKERS: brokers }, 'faults'), [trackTopic.name]));
  }

  async start(rowsPerSecond: number): Promise<void> {
    await this.publisher.start();
    this.resume(rowsPerSecond);
  }

  resume(rowsPerSecond: number): void {
    this.timer = setInterval(
      () => {
        const send = this.send().finally(() => this.sends.delete(send));
        this.sends.add(send);
      },
      (1_000 * perSend) / rowsPerSecond,
    );
  }

  /** Pauses sending. Resolves when everything sent is acknowledged. */
  async pause(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.sends);
  }

  async stop(): Promise<void> {
    await this.pause();
    await this.publisher.stop();
  }

  private async send(): Promise<void> {
    const rows = Array.from({ length: perSend }, aRow);
    for (let isRepeat = false; ; isRepeat = true) {
      try {
        await this.publisher.publish(rows.map((row) => messageOf(row, isRepeat)));
        for (const { message_id } of rows) this.acknowledged.add(message_id);
        return;
      } catch {
        this.repeated += 1;
        await sleep(500);
      }
    }
  }
}

function aRow(): EventRow {
  const now = new Date().toISOString();
  return {
    source_id: 'FaultSource1',
    request_id: randomUUID(),
    received_at: now,
    message_id: randomUUID(),
    anonymous_id: undefined,
    context: undefined,
    user_id: `user-${Math.floor(Math.random() * 1_000)}`,
    timestamp: now,
    event: 'something_happened',
    properties: { price: 49.9, name: 'Something nice' },
  };
}

const messageOf = (row: EventRow, isRepeat: boolean): OutgoingMessage => ({
  topic: trackTopic.name,
  key: row.user_id ?? '',
  value: JSON.stringify(row),
  headers: { [header.contract]: trackTopic.contract, ...(isRepeat && { [header.possibleRepeat]: '1' }) },
});
