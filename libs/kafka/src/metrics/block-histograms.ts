import { Histogram, type Registry } from '@sluice/service';
import { type Block } from '../protocol/block.js';
import { valueLength } from '../protocol/message-parts.js';

/** Buckets, s: from below the usual second between answer and visible row up to a day, as after a long outage. */
const ageBuckets = [0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400];

/** Size, age and duration of the blocks that were stored. */
export class BlockHistograms {
  private readonly rows: Histogram<'topic'>;
  private readonly bytes: Histogram<'topic'>;
  private readonly age: Histogram<'topic'>;
  private readonly took: Histogram<'topic'>;
  private readonly freshness: Histogram<'topic'>;

  constructor(registry: Registry) {
    const registers = [registry];
    const labelNames = ['topic'] as const;
    this.rows = new Histogram({
      name: 'sluice_consumer_block_rows',
      help: 'Messages of a stored block',
      labelNames,
      buckets: [1, 10, 100, 1_000, 5_000, 10_000, 25_000, 50_000],
      registers,
    });
    this.bytes = new Histogram({
      name: 'sluice_consumer_block_bytes',
      help: 'Bytes of the values of a stored block',
      labelNames,
      buckets: [1_024, 16_384, 131_072, 1_048_576, 4_194_304, 8_388_608, 16_777_216, 25_165_824],
      registers,
    });
    this.age = new Histogram({
      name: 'sluice_consumer_block_age_seconds',
      help: 'Age of the oldest message of a block when its handler begins, since Kafka took it',
      labelNames,
      buckets: ageBuckets,
      registers,
    });
    this.took = new Histogram({
      name: 'sluice_consumer_block_duration_seconds',
      help: 'Time that the handler took for a block, look-ups and inserts included',
      labelNames,
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
      registers,
    });
    this.freshness = new Histogram({
      name: 'sluice_consumer_freshness_seconds',
      help: 'Time from Kafka taking the oldest message of a block until its rows are visible, per block',
      labelNames,
      buckets: ageBuckets,
      registers,
    });
  }

  /** Observes a block whose rows have just become visible. */
  stored({ topic, messages }: Block, tookMs: number): void {
    const ageMs = Math.max(0, Date.now() - Number(messages[0]?.timestamp));
    this.rows.observe({ topic }, messages.length);
    this.bytes.observe(
      { topic },
      messages.reduce((sum, message) => sum + valueLength(message), 0),
    );
    this.took.observe({ topic }, tookMs / 1_000);
    this.age.observe({ topic }, Math.max(0, ageMs - tookMs) / 1_000);
    this.freshness.observe({ topic }, ageMs / 1_000);
  }
}
