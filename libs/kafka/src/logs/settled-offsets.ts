import { randomUUID } from 'node:crypto';
import { type Kafka } from '@sluice/kafkajs';
import { OffsetsTeller } from '../follow/offsets-teller.js';
import { type Place } from '../protocol/block.js';
import { type LogOffsets } from '../topics/acknowledged-ends.js';

/** Upper bound of remembered logs. */
const maxLogs = 1_000;

/** A partition of a log with the offset before which every message is stored, buried or counted as lost. */
export interface Settled extends Place {
  /** The topic's id; undefined while it is unknown. */
  readonly logId: string | undefined;
  readonly settled: bigint;
}

interface SettledLog {
  readonly topic: string;
  readonly ends: Map<number, number>;
  hasChanged: boolean;
}

/**
 * Tells how far a group has stored each log. Kafka deletes the offsets of a group with the topic, so the next process
 * learns from here what the group had of a log that is gone.
 */
export class SettledOffsets {
  private readonly writer = randomUUID();
  private readonly teller: OffsetsTeller;
  private readonly logs = new Map<string, SettledLog>();

  /** @param present tells the partitions that this process has */
  constructor(
    kafka: Kafka,
    private readonly group: string,
    private readonly present: () => readonly Settled[],
  ) {
    this.teller = new OffsetsTeller(
      kafka,
      () => Promise.resolve(this.changes()),
      () => undefined,
    );
  }

  start(): void {
    this.teller.start();
  }

  stop(): Promise<void> {
    return this.teller.stop();
  }

  /** Remembers an offset until it is written. Offsets of a log only grow. */
  take({ topic, partition, logId, settled }: Settled): void {
    if (logId === undefined) return;
    const log = this.logs.get(logId) ?? this.add(logId, topic);
    const end = Number(settled);
    if (end <= (log.ends.get(partition) ?? -1)) return;
    log.ends.set(partition, end);
    log.hasChanged = true;
  }

  private changes(): LogOffsets[] {
    for (const one of this.present()) this.take(one);
    const { group, writer } = this;
    const changed = [...this.logs].filter(([, { hasChanged }]) => hasChanged);
    return changed.map(([id, log]) => {
      log.hasChanged = false;
      return { topic: log.topic, id, group, writer, ends: new Map(log.ends) };
    });
  }

  private add(id: string, topic: string): SettledLog {
    const [oldest] = this.logs.keys();
    if (this.logs.size >= maxLogs && oldest !== undefined) this.logs.delete(oldest);
    const log = { topic, ends: new Map<number, number>(), hasChanged: true };
    this.logs.set(id, log);
    return log;
  }
}
