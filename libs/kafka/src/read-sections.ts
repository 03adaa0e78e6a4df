import { randomUUID } from 'node:crypto';
import type { Consumer, Kafka, KafkaMessage } from 'kafkajs';
import { type Place } from './block.js';
import { undecodableOf } from './kafkajs/undecodable-batch.js';

/** Offsets of a partition that are read: from `from` up to, not including, `end`. */
export interface Section extends Place {
  readonly from: bigint;
  readonly end: bigint;
}

/**
 * Reads what lies in the sections, each partition in its order; a message may be handed over twice. Partitions of the
 * same topics that have nothing to read must be named with an empty section, or they are read from their beginning.
 * @throws UndecodableBatch when a section holds a batch that cannot be decoded
 */
export async function readSections(
  kafka: Kafka,
  sections: readonly Section[],
  onMessage: (place: Place, message: KafkaMessage) => void,
): Promise<void> {
  if (!sections.some(isFilled)) return;
  const byPlace = new Map(sections.map((section) => [keyOf(section), section]));
  // A group of its own, never committed to.
  const consumer = kafka.consumer({ groupId: `sluice-reader-${randomUUID()}`, maxWaitTimeInMs: 200 });
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [...new Set(sections.map(({ topic }) => topic))], fromBeginning: true });
    const damage = Promise.withResolvers<never>();
    const read = untilRead(consumer, sections.filter(isFilled));
    // At each join: `run` can return before the first one, while the coordinator is not there yet.
    consumer.on(consumer.events.GROUP_JOIN, () => {
      for (const { topic, partition, from } of sections) consumer.seek({ topic, partition, offset: String(from) });
    });
    const running = consumer.run({
      autoCommit: false,
      eachBatch: ({ batch }) => {
        const { topic, partition, messages } = batch;
        const section = byPlace.get(keyOf({ topic, partition }));
        for (const message of messages) {
          const offset = BigInt(message.offset);
          if (section && offset >= section.from && offset < section.end) onMessage({ topic, partition }, message);
        }
        const undecodable = undecodableOf(batch);
        if (section && undecodable && undecodable.first < section.end) damage.reject(undecodable);
        if (section && BigInt(messages.at(-1)?.offset ?? -1) + 1n >= section.end) {
          consumer.pause([{ topic, partitions: [partition] }]);
        }
        return Promise.resolve();
      },
    });
    await Promise.race([damage.promise, Promise.all([read, running])]);
  } finally {
    await consumer.disconnect();
  }
}

const isFilled = ({ from, end }: Section): boolean => from < end;
const keyOf = ({ topic, partition }: Place): string => `${topic}:${partition}`;

function untilRead(consumer: Consumer, sections: readonly Section[]): Promise<void> {
  const unread = new Map(sections.map((section) => [keyOf(section), section.end]));
  return new Promise((resolve, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
      if (!restart) reject(error);
    });
    consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload: { topic, partition, lastOffset } }) => {
      const end = unread.get(keyOf({ topic, partition }));
      if (end !== undefined && BigInt(lastOffset) + 1n >= end) unread.delete(keyOf({ topic, partition }));
      if (unread.size === 0) resolve();
    });
  });
}
