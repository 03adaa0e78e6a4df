import { randomUUID } from 'node:crypto';
import { deadLetterTopic, header } from '@sluice/contracts';
import type { Admin, Consumer, Kafka } from 'kafkajs';
import { withAdmin } from './admin.js';
import { createPartitioner } from './client.js';
import { type DeadLetter, readDeadLetter } from './dead-letter.js';

export interface DeadLetterQuery {
  /** The topics that the messages were in. */
  readonly topics: readonly string[];
  /** The newest ones only. */
  readonly limit: number;
  /** Without it only as much is read as the limit asks for. */
  readonly matches?: (letter: DeadLetter) => boolean;
}

/** A partition of a dead-letter topic, and the offsets that are read of it: from `from` up to, not including, `end`. */
interface Section {
  readonly topic: string;
  readonly partition: number;
  readonly from: bigint;
  readonly end: bigint;
}

const perReplay = 500;

/** Reads and replays the dead letters; nothing is ever taken out but by retention. */
export class DeadLetterBox {
  constructor(private readonly kafka: Kafka) {}

  /** Each letter once, the newest first. */
  async read({ topics, limit, matches }: DeadLetterQuery): Promise<DeadLetter[]> {
    // A letter may be there twice, from a consumer that died before it could confirm.
    const sections = await this.sections(topics, matches ? undefined : 2 * limit);
    const letters = new Map<string, DeadLetter>();
    await this.readSections(sections, (letter) => {
      if (!matches || matches(letter)) letters.set(letter.id, letters.get(letter.id) ?? letter);
    });
    const newest = [...letters.values()].sort((a, b) => b.refusedAt - a.refusedAt || compare(b, a));
    return newest.slice(0, limit);
  }

  /**
   * Puts the messages back to the end of the partition that they came from, as they were, as possible repeats: what is
   * stored by now is not stored again. Resolves when all in-sync replicas have them.
   */
  async replay(letters: readonly DeadLetter[]): Promise<void> {
    const producer = this.kafka.producer({ createPartitioner, allowAutoTopicCreation: false });
    await producer.connect();
    try {
      // The oldest first, as they came; one topic at a time, see docs/decisions/0004-kafkajs-contained.md.
      for (const [topic, ofTopic] of Map.groupBy(letters.toReversed(), (letter) => letter.topic)) {
        for (const [partition, all] of Map.groupBy(ofTopic, (letter) => letter.partition)) {
          for (let from = 0; from < all.length; from += perReplay) {
            const messages = all.slice(from, from + perReplay).map(({ key, value, headers }) => ({
              key,
              value,
              partition,
              headers: { ...headers, [header.possibleRepeat]: '1' },
            }));
            await producer.send({ topic, acks: -1, messages });
          }
        }
      }
    } finally {
      await producer.disconnect();
    }
  }

  private sections(topics: readonly string[], newest: number | undefined): Promise<Section[]> {
    return withAdmin(this.kafka, async (admin) => {
      const existing = new Set(await admin.listTopics());
      const boxes = topics.map(deadLetterTopic).filter((topic) => existing.has(topic));
      const sections = await Promise.all(boxes.map((topic) => sectionsOf(admin, topic, newest)));
      return sections.flat().filter(({ from, end }) => from < end);
    });
  }

  private async readSections(sections: readonly Section[], onLetter: (letter: DeadLetter) => void): Promise<void> {
    if (sections.length === 0) return;
    // A group of its own, never committed to.
    const consumer = this.kafka.consumer({ groupId: `sluice-letters-${randomUUID()}`, maxWaitTimeInMs: 200 });
    await consumer.connect();
    try {
      await consumer.subscribe({ topics: [...new Set(sections.map(({ topic }) => topic))], fromBeginning: true });
      const read = untilRead(consumer, sections);
      await consumer.run({
        autoCommit: false,
        eachMessage: ({ topic, partition, message }) => {
          const section = sections.find((one) => one.topic === topic && one.partition === partition);
          const isWanted = section && BigInt(message.offset) >= section.from && BigInt(message.offset) < section.end;
          const letter = isWanted ? readDeadLetter(message) : undefined;
          if (letter) onLetter(letter);
          return Promise.resolve();
        },
      });
      for (const { topic, partition, from } of sections) consumer.seek({ topic, partition, offset: String(from) });
      await read;
    } finally {
      await consumer.disconnect();
    }
  }
}

async function sectionsOf(admin: Admin, topic: string, newest: number | undefined): Promise<Section[]> {
  const offsets = await admin.fetchTopicOffsets(topic);
  return offsets.map(({ partition, low, high }) => {
    const [first, end] = [BigInt(low), BigInt(high)];
    const wanted = newest === undefined ? first : end - BigInt(newest);
    return { topic, partition, from: wanted > first ? wanted : first, end };
  });
}

function untilRead(consumer: Consumer, sections: readonly Section[]): Promise<void> {
  const unread = new Map(sections.map(({ topic, partition, end }) => [`${topic}:${partition}`, end]));
  return new Promise((resolve) => {
    consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload: { topic, partition, lastOffset } }) => {
      const end = unread.get(`${topic}:${partition}`);
      if (end !== undefined && BigInt(lastOffset) + 1n >= end) unread.delete(`${topic}:${partition}`);
      if (unread.size === 0) resolve();
    });
  });
}

const compare = (a: DeadLetter, b: DeadLetter): number => Number(BigInt(a.offset) - BigInt(b.offset));
