import { randomUUID } from 'node:crypto';
import { type Kafka, TopicIds } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';
import { withinDeadline } from '../connection/deadline.js';
import { OffsetsTeller } from '../follow/offsets-teller.js';
import { type LogOffsets } from '../topics/acknowledged-ends.js';
import { AcknowledgedLog } from './acknowledged-log.js';

const lookDeadlineMs = 5_000;

/**
 * Tells how far Kafka has acknowledged the log of each topic, so that consumers can count what was lost when a topic is
 * deleted. No send waits for it, and none fails with it (docs/decisions/0059-acknowledged-ends.md).
 */
export class Acknowledgements {
  private readonly writer = randomUUID();
  private readonly logs: ReadonlyMap<string, AcknowledgedLog>;
  private readonly ids: TopicIds;
  private readonly teller: OffsetsTeller;

  constructor(
    private readonly kafka: Kafka,
    private readonly topics: readonly string[],
    failed: (error: unknown) => void,
  ) {
    this.logs = new Map(topics.map((topic) => [topic, new AcknowledgedLog()]));
    this.ids = new TopicIds(kafka);
    this.teller = new OffsetsTeller(kafka, () => this.changes(), failed);
  }

  /** Takes an acknowledgement of so many messages from this offset on. Only remembers it. */
  take(topic: string, partition: number, baseOffset: string | undefined, messages: number): void {
    const from = Number(baseOffset ?? -1);
    if (from >= 0) this.logs.get(topic)?.take(partition, from, from + messages);
  }

  start(): void {
    this.teller.start();
  }

  async stop(): Promise<void> {
    await this.teller.stop();
    this.ids.close();
  }

  private async changes(): Promise<LogOffsets[]> {
    const { ids, logs, topics, writer } = this;
    for (const log of logs.values()) log.look();
    const present = await withinDeadline(ids.read(topics), lookDeadlineMs, 'the ids of the topics were not read');
    const changes: LogOffsets[] = [];
    for (const [topic, log] of logs) {
      const id = present.get(topic);
      const highs = log.mustDecide(id) ? await this.endsOf(topic) : undefined;
      for (const { id: logId, ends } of log.answer(id, highs)) changes.push({ topic, id: logId, ends, writer });
    }
    return changes;
  }

  private async endsOf(topic: string): Promise<Map<number, number>> {
    const offsets = await withAdmin(this.kafka, (admin) => admin.fetchTopicOffsets(topic));
    return new Map(offsets.map(({ partition, high }) => [partition, Number(high)]));
  }
}
