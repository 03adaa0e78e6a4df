import { deadLetterTopic, header } from '@sluice/contracts';
import { type Admin, type Kafka } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';
import { partitionKey, type TopicPartition } from '../protocol/block.js';
import { type DeadLetter } from './dead-letter.js';
import { LetterReader } from './letter-reader.js';
import { NewestLetters } from './newest-letters.js';
import { headerText } from '../protocol/message-parts.js';
import { readSections, type Section } from './read-sections.js';
import { whenLed } from '../connection/when-led.js';

export interface MessageQuery {
  readonly requestId: string;
  /** Data topics; those that do not exist are left out. */
  readonly topics: readonly string[];
  /** Earliest and latest time at which Kafka took the messages, milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
  /** A shorter time, for partitions whose consumer has confirmed everything that came within the longer one. */
  readonly near?: NearQuery;
}

/** The times between which a request's messages usually come, and what the consumers have confirmed. */
export interface NearQuery {
  readonly from: number;
  readonly until: number;
  /** See `readConfirmed`. */
  readonly confirmed: ReadonlyMap<string, bigint>;
}

/** The place of a message in Kafka. */
export interface FoundMessage extends TopicPartition {
  readonly offset: string;
  /** Time at which Kafka took it, milliseconds since 1970. */
  readonly timestamp: number;
}

export interface FoundMessages {
  readonly messages: readonly FoundMessage[];
  /** The newest dead letter of each message of the request, whenever it was written. */
  readonly letters: readonly DeadLetter[];
  /** Number of messages that were read, dead letters included. */
  readonly read: number;
}

/** Finds the messages of a request. Reads nothing that Kafka took before `from`: Kafka has an index of times. */
export async function findMessages(kafka: Kafka, query: MessageQuery): Promise<FoundMessages> {
  const { topics, requestId } = query;
  const sections = await withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics());
    const letterTopics = topics.map(deadLetterTopic).filter((topic) => existing.has(topic));
    const searches = [
      ...topics.filter((topic) => existing.has(topic)).map((topic) => findSections(admin, topic, query)),
      // A letter is written after its message, however long that had to wait.
      ...letterTopics.map((topic) => findBetween(admin, topic, query.from)),
    ];
    return (await Promise.all(searches)).flat();
  });
  const dataTopics = new Set(topics);
  const messages: FoundMessage[] = [];
  const newest = new NewestLetters();
  const reader = new LetterReader();
  let read = 0;
  await readSections(kafka, sections, ({ topic, partition }, message) => {
    read += 1;
    if (headerText(message, header.requestId) !== requestId) return;
    const { offset, timestamp } = message;
    const letter = dataTopics.has(topic) ? undefined : reader.take(message);
    if (letter) newest.add(letter);
    else if (dataTopics.has(topic)) messages.push({ topic, partition, offset, timestamp: Number(timestamp) });
  });
  for (const letter of reader.damaged) newest.add(letter);
  return { messages, letters: newest.letters, read };
}

async function findSections(admin: Admin, topic: string, { from, until, near }: MessageQuery): Promise<Section[]> {
  const [whole, small] = await Promise.all([
    findBetween(admin, topic, from, until),
    near ? findBetween(admin, topic, near.from, near.until) : [],
  ]);
  return whole.map((section) => {
    const isConfirmed =
      (near?.confirmed.get(partitionKey({ topic, partition: section.partition })) ?? -1n) >= section.end;
    return (isConfirmed ? small.find(({ partition }) => partition === section.partition) : undefined) ?? section;
  });
}

/** The sections of a topic that Kafka took within the time; up to the end of the log without `untilMs`. */
async function findBetween(admin: Admin, topic: string, fromMs: number, untilMs?: number): Promise<Section[]> {
  const [starts, ends, logs] = await Promise.all([
    admin.fetchTopicOffsetsByTimestamp(topic, fromMs),
    untilMs === undefined ? [] : admin.fetchTopicOffsetsByTimestamp(topic, untilMs),
    admin.fetchTopicOffsets(topic),
  ]);
  const offsetIn = (offsets: typeof starts, partitionNumber: number): string | undefined =>
    offsets.find(({ partition }) => partition === partitionNumber)?.offset;
  return logs.map(({ partition, high }) => {
    const [from, end] = [BigInt(offsetIn(starts, partition) ?? high), BigInt(offsetIn(ends, partition) ?? high)];
    return { topic, partition, from, end };
  });
}

/** Consumer groups with their topics. */
export type GroupTopics = ReadonlyMap<string, readonly string[]>;

/** The offsets below which groups have confirmed everything, by `topic:partition`; -1 before the first commit. */
export async function readConfirmed(kafka: Kafka, groups: GroupTopics): Promise<ReadonlyMap<string, bigint>> {
  const committed = await withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics());
    const requests = [...groups].map(async ([groupId, topics]) => {
      const existingTopics = topics.filter((topic) => existing.has(topic));
      return existingTopics.length === 0 ? [] : whenLed(() => admin.fetchOffsets({ groupId, topics: existingTopics }));
    });
    return (await Promise.all(requests)).flat();
  });
  return new Map(
    committed.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => [partitionKey({ topic, partition }), BigInt(offset)] as const),
    ),
  );
}

/** A message that was asked for by its offset. */
export interface ReadMessage extends TopicPartition {
  readonly offset: string;
  readonly requestId: string;
  readonly value: Buffer | null;
}

/** The offsets of a topic whose messages Kafka took within the time; empty when the topic does not exist. */
export function offsetsBetween(kafka: Kafka, topic: string, fromMs: number, untilMs: number): Promise<Section[]> {
  return withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics());
    return existing.has(topic) ? findBetween(admin, topic, fromMs, untilMs) : [];
  });
}

/** Reads the messages at some offsets of a topic; offsets without a message are left out. */
export async function readOffsets(
  kafka: Kafka,
  topic: string,
  offsetsByPartition: ReadonlyMap<number, ReadonlySet<bigint>>,
): Promise<ReadMessage[]> {
  const partitions = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic));
  const sections = partitions.map(({ partition, low }) => {
    const offsets = [...(offsetsByPartition.get(partition) ?? [])].sort((a, b) => (a < b ? -1 : 1));
    const from = offsets[0] ?? 0n;
    // An empty section keeps a partition from being read from its beginning.
    return { topic, partition, from: from < BigInt(low) ? BigInt(low) : from, end: (offsets.at(-1) ?? -1n) + 1n };
  });
  const messages = new Map<string, ReadMessage>();
  await readSections(kafka, sections, ({ partition }, message) => {
    if (offsetsByPartition.get(partition)?.has(BigInt(message.offset)) !== true) return;
    const value = message.value === null ? null : Buffer.from(message.value);
    const requestId = headerText(message, header.requestId) ?? '';
    messages.set(`${partition}:${message.offset}`, { topic, partition, offset: message.offset, requestId, value });
  });
  return [...messages.values()];
}
