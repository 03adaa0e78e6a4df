import { CompactedTopicWriter, ensureCompactedTopic, type Kafka, type KafkaConfig } from '@sluice/kafka';
import { type ConsoleState } from './console-state.js';
import { type ConsoleRecords, consoleTopic, toConsoleRecord, type RecordKind } from './records.js';

/** Creates the topic of the console if it does not exist. */
export const ensureConsoleTopic = (kafka: Kafka, config: KafkaConfig): Promise<string[]> =>
  ensureCompactedTopic(kafka, config, consoleTopic);

/** Changes the records of the console. */
export class ConsoleWriter {
  private readonly writer: CompactedTopicWriter;

  constructor(
    kafka: Kafka,
    private readonly state: ConsoleState,
  ) {
    this.writer = new CompactedTopicWriter(kafka, consoleTopic);
  }

  /** Resolves with the record's offset when it is durable and in the state; the value null removes the record. */
  async put<K extends RecordKind>(kind: K, id: string, value: ConsoleRecords[K] | null): Promise<bigint> {
    const record = toConsoleRecord(kind, id, value);
    const offset = await this.writer.write([record]);
    this.state.takeWritten(record, offset);
    return offset;
  }

  /** Writes several records of one kind in one send; the value null removes a record. */
  async putAll<K extends RecordKind>(kind: K, changes: ReadonlyMap<string, ConsoleRecords[K] | null>): Promise<void> {
    const records = [...changes].map(([id, value]) => toConsoleRecord(kind, id, value));
    const firstOffset = await this.writer.write(records);
    for (const [index, record] of records.entries()) this.state.takeWritten(record, firstOffset + BigInt(index));
  }

  stop(): Promise<void> {
    return this.writer.stop();
  }
}
