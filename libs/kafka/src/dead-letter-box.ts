import { deadLetterTopic } from '@sluice/contracts';
import type { Admin, Kafka } from 'kafkajs';
import { withAdmin } from './admin.js';
import { createPartitioner } from './client.js';
import { type DeadLetter, readDeadLetter } from './dead-letter.js';
import { markedAsRepeat } from './marked-as-repeat.js';
import { readSections, type Section } from './read-sections.js';
import { whenLed } from './when-led.js';

export interface DeadLetterQuery {
  /** The topics that the messages were in. */
  readonly topics: readonly string[];
  /** The newest ones only. */
  readonly limit: number;
  /** Without it only as much is read as the limit asks for. */
  readonly matches?: (letter: DeadLetter) => boolean;
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
    await readSections(this.kafka, sections, (_, message) => {
      const letter = readDeadLetter(message);
      if (letter && (!matches || matches(letter))) letters.set(letter.id, letters.get(letter.id) ?? letter);
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
              headers: markedAsRepeat(headers),
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
      return sections.flat();
    });
  }
}

async function sectionsOf(admin: Admin, topic: string, newest: number | undefined): Promise<Section[]> {
  const offsets = await whenLed(() => admin.fetchTopicOffsets(topic));
  return offsets.map(({ partition, low, high }) => {
    const [first, end] = [BigInt(low), BigInt(high)];
    const wanted = newest === undefined ? first : end - BigInt(newest);
    return { topic, partition, from: wanted > first ? wanted : first, end };
  });
}

const compare = (a: DeadLetter, b: DeadLetter): number => Number(BigInt(a.offset) - BigInt(b.offset));
