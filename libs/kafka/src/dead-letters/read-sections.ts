import { withTopicPrefix } from '@sluice/contracts';
import { randomUUID } from 'node:crypto';
import { type Consumer, type Kafka, type KafkaMessage, undecodableBatch } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';
import { partitionKey, type TopicPartition } from '../protocol/block.js';

/** Offsets of a partition that are read: from `from` up to, not including, `end`. */
export interface Section extends TopicPartition {
  readonly from: bigint;
  readonly end: bigint;
}

/** Time that a fetch waits for messages. */
const maxWaitMs = 200;
/** Number of consecutive answers, and time, without a message after which a section has nothing left. */
const quietAnswers = 8;
const quietMs = 3_000;
const lookEveryMs = 500;

/**
 * Reads the sections, each partition in order; a message may be handed over twice. A section also ends where nothing
 * more can be read: retention or compaction took the rest, or it belongs to an open transaction. Partitions of the same
 * topics that have nothing to read must be named with an empty section, or they are read from their beginning.
 * @throws UndecodableBatch when a section holds a batch that cannot be decoded
 */
export async function readSections(
  kafka: Kafka,
  sections: readonly Section[],
  onMessage: (place: TopicPartition, message: KafkaMessage) => void,
): Promise<void> {
  if (!sections.some(isFilled)) return;
  const byPlace = new Map(sections.map((section) => [partitionKey(section), section]));
  // A group of its own, never committed to.
  const consumer = kafka.consumer({
    groupId: withTopicPrefix(`sluice-reader-${randomUUID()}`),
    maxWaitTimeInMs: maxWaitMs,
  });
  const reading = new SectionReading(kafka, consumer, sections.filter(isFilled));
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [...new Set(sections.map(({ topic }) => topic))], fromBeginning: true });
    const damage = Promise.withResolvers<never>();
    // Seeks at each join: `run` can return before the first one, while the coordinator is missing.
    consumer.on(consumer.events.GROUP_JOIN, () => {
      for (const { topic, partition, from } of sections) consumer.seek({ topic, partition, offset: String(from) });
    });
    const running = consumer.run({
      autoCommit: false,
      eachBatch: ({ batch }) => {
        const { topic, partition, messages } = batch;
        const section = byPlace.get(partitionKey({ topic, partition }));
        for (const message of messages) {
          const offset = BigInt(message.offset);
          if (section && offset >= section.from && offset < section.end) onMessage({ topic, partition }, message);
        }
        const undecodable = undecodableBatch(batch);
        if (section && undecodable && undecodable.first < section.end) damage.reject(undecodable);
        if (section && BigInt(messages.at(-1)?.offset ?? -1) + 1n >= section.end) {
          consumer.pause([{ topic, partitions: [partition] }]);
        }
        return Promise.resolve();
      },
    });
    await Promise.race([damage.promise, Promise.all([reading.ended, running])]);
  } finally {
    reading.stop();
    await consumer.disconnect();
  }
}

const isFilled = ({ from, end }: Section): boolean => from < end;

/** Watches a consumer until it has nothing more to read of any section. */
class SectionReading {
  /** Rejects when kafkajs has given up. */
  readonly ended: Promise<void>;
  private end!: () => void;
  private readonly unread: Map<string, Section>;
  /** Answers to fetches since the last message of an unread section, by the address of the broker. */
  private answers = new Map<string, number>();
  private quietSince = performance.now();
  private readonly watch: NodeJS.Timeout;

  constructor(
    private readonly kafka: Kafka,
    consumer: Consumer,
    sections: readonly Section[],
  ) {
    this.unread = new Map(sections.map((section) => [partitionKey(section), section]));
    this.ended = new Promise((resolve, reject) => {
      this.end = resolve;
      consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
        if (!restart) reject(error);
      });
    });
    // kafkajs reports no fetch without messages, so answers are counted: where records were deleted, all are empty.
    consumer.on(consumer.events.REQUEST, ({ payload: { apiName, broker } }) => {
      if (apiName === 'Fetch') this.answers.set(broker, (this.answers.get(broker) ?? 0) + 1);
    });
    consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload: { topic, partition, lastOffset } }) =>
      this.notePassed({ topic, partition }, BigInt(lastOffset) + 1n),
    );
    this.watch = setInterval(() => {
      if (performance.now() - this.quietSince > quietMs) void this.endQuiet();
    }, lookEveryMs);
  }

  stop(): void {
    clearInterval(this.watch);
  }

  private notePassed(place: TopicPartition, position: bigint): void {
    const section = this.unread.get(partitionKey(place));
    if (!section) return;
    this.answers = new Map();
    this.quietSince = performance.now();
    if (position >= section.end) this.unread.delete(partitionKey(place));
    if (this.unread.size === 0) this.end();
  }

  /** Ends the sections whose leader has answered often enough without a message. */
  private async endQuiet(): Promise<void> {
    const { answers } = this;
    const unread = [...this.unread.values()];
    // If Kafka is unreachable, the next look asks again.
    const leaders = await readLeaders(this.kafka, [...new Set(unread.map(({ topic }) => topic))]).catch(
      () => undefined,
    );
    if (!leaders || answers !== this.answers) return;
    for (const section of unread) {
      const answerCount = answers.get(leaders.get(partitionKey(section)) ?? '') ?? 0;
      if (answerCount >= quietAnswers) this.unread.delete(partitionKey(section));
    }
    if (this.unread.size === 0) this.end();
  }
}

/** The address of the leader of each partition. */
function readLeaders(kafka: Kafka, topics: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return withAdmin(kafka, async (admin) => {
    const { brokers } = await admin.describeCluster();
    const addresses = new Map(brokers.map(({ nodeId, host, port }) => [nodeId, `${host}:${port}`]));
    const { topics: topicMetadata } = await admin.fetchTopicMetadata({ topics: [...topics] });
    const leaders = topicMetadata.flatMap(({ name: topic, partitions }) =>
      partitions.map(
        ({ partitionId, leader }) =>
          [partitionKey({ topic, partition: partitionId }), addresses.get(leader) ?? ''] as const,
      ),
    );
    return new Map(leaders);
  });
}
