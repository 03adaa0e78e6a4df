import { randomUUID } from 'node:crypto';
import { type EventRow, header, trackTopic } from '@sluice/contracts';
import { type OutgoingMessage } from '@sluice/kafka';
import { MessageLoad } from '../load/load.js';

const perSend = 100;
export const generatedSource = 'FaultSource1';

/** Publishes rows of events at a steady rate and remembers those that Kafka acknowledged. */
export class Generator {
  readonly acknowledged = new Set<string>();
  private readonly load: MessageLoad;

  constructor(brokers: readonly string[]) {
    this.load = new MessageLoad(brokers, [trackTopic.name]);
  }

  /** Sends that had to be repeated. */
  get repeated(): number {
    return this.load.repeated;
  }

  async start(rowsPerSecond: number): Promise<void> {
    await this.load.start();
    this.resume(rowsPerSecond);
  }

  resume(rowsPerSecond: number): void {
    this.load.every((1_000 * perSend) / rowsPerSecond, () => void this.send());
  }

  /** Pauses sending. Resolves when everything sent is acknowledged. */
  pause(): Promise<void> {
    return this.load.pause();
  }

  stop(): Promise<void> {
    return this.load.stop();
  }

  private async send(): Promise<void> {
    const rows = Array.from({ length: perSend }, aRow);
    await this.load.send(rows.map(makeMessage));
    for (const { message_id } of rows) this.acknowledged.add(message_id);
  }
}

function aRow(): EventRow {
  const now = new Date().toISOString();
  return {
    source_id: generatedSource,
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

const makeMessage = (row: EventRow): OutgoingMessage => ({
  topic: trackTopic.name,
  key: row.user_id ?? '',
  value: JSON.stringify(row),
  headers: { [header.contract]: trackTopic.contract },
});
