import { type Kafka, type Producer } from '@sluice/kafkajs';
import { createPartitioner } from '../connection/client.js';
import { type CompactedRecord } from './compacted-record.js';
import { disconnected } from '../connection/disconnected.js';

/** Writes records of a compacted topic over one connection, which is made at the first write. */
export class CompactedTopicWriter {
  private producer: Producer | undefined;

  constructor(
    private readonly kafka: Kafka,
    private readonly topic: string,
  ) {}

  /**
   * Resolves when all in-sync replicas have the records, with the offset of the first one; -1 when there are none.
   * @throws when they have not; a repeat changes nothing.
   */
  async write(records: readonly CompactedRecord[]): Promise<bigint> {
    if (records.length === 0) return -1n;
    const messages = records.map((record) => ({ ...record, partition: 0 }));
    try {
      this.producer ??= await this.connect();
      const [metadata] = await this.producer.send({ topic: this.topic, acks: -1, messages });
      return BigInt(metadata?.baseOffset ?? -1);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    const { producer } = this;
    this.producer = undefined;
    if (producer) await disconnected(producer);
  }

  private async connect(): Promise<Producer> {
    const producer = this.kafka.producer({ createPartitioner, allowAutoTopicCreation: false });
    await producer.connect();
    return producer;
  }
}
