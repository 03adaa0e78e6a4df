import { type Kafka } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';
import { CompactedTopicWriter } from './compacted-topic-writer.js';
import { type CompactedRecord, type RecordSink } from './compacted-record.js';
import { keepTrying } from '../connection/keep-trying.js';
import { TopicReading, type Watch } from './topic-reading.js';

/** Writes one record; resolves when all in-sync replicas have it. */
export async function writeCompacted(kafka: Kafka, topic: string, record: CompactedRecord): Promise<void> {
  const writer = new CompactedTopicWriter(kafka, topic);
  try {
    await writer.write([record]);
  } finally {
    await writer.stop();
  }
}

/** The offset that the next record of a compacted topic will have. */
export async function readCompactedEnd(kafka: Kafka, topic: string): Promise<bigint> {
  const [log] = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic));
  return BigInt(log?.high ?? 0);
}

/**
 * Reads a compacted topic of one partition from its beginning and follows it until it is stopped. When kafkajs gives up
 * or is silent for too long, or the topic was recreated, it starts again with a new sink: records may have disappeared.
 */
export class CompactedTopicFollower {
  private readonly stopping = new AbortController();
  private reading: TopicReading | undefined;
  /** Time at which a reading that had reached the end last heard of Kafka. */
  private currentAt = -Infinity;
  private isCurrent = false;

  constructor(
    private readonly kafka: Kafka,
    private readonly topic: string,
    private readonly newSink: () => RecordSink,
    private readonly watch?: Watch,
  ) {}

  /**
   * Resolves when every record that was there at the call has been taken.
   * @throws when Kafka cannot be reached; UndecodableBatch when a batch cannot be decoded.
   */
  async start(): Promise<void> {
    const reading = new TopicReading(this.kafka, this.topic, this.newSink(), this.watch);
    this.reading = reading;
    try {
      await reading.start();
    } catch (error) {
      await reading.stop().catch(() => undefined);
      throw error;
    }
    this.isCurrent = true;
    void reading.ended.then(() => {
      this.currentAt = reading.heardAt;
      this.isCurrent = false;
      void reading.stop().catch(() => undefined);
      this.follow();
    });
  }

  /** Milliseconds for which a change of the topic could be unseen; infinite before everything was read once. */
  get staleMs(): number {
    const heardAt = this.isCurrent && this.reading ? this.reading.heardAt : this.currentAt;
    return Math.max(0, performance.now() - heardAt);
  }

  /** Starts in the background, retried until it succeeds. */
  follow(): void {
    void keepTrying(`reading ${this.topic}`, () => this.start(), this.stopping.signal);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.reading?.stop();
  }
}
