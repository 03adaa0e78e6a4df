import { header } from '@sluice/contracts';
import {
  appendHeaders,
  CompressionTypes,
  type CompressionTypes as CompressionType,
  type Kafka,
  type Producer,
  type SizedMessage,
} from '@sluice/kafkajs';
import { partitionKey } from '../protocol/block.js';
import { withAdmin } from '../connection/admin.js';
import { createPartitioner } from '../connection/client.js';
import { type DeadLetter, deadLetterHeader } from './dead-letter.js';
import { withinDeadline } from '../connection/deadline.js';
import { disconnected } from '../connection/disconnected.js';
import { isTooLarge } from './letter-sender.js';

/** A letter that was not replayed, and the reason. */
export interface NotReplayed {
  readonly letter: DeadLetter;
  readonly why: string;
}

export interface Replay {
  /** Letters that all in-sync replicas have, the newest first. */
  readonly replayed: readonly DeadLetter[];
  readonly refused: readonly NotReplayed[];
  /** The error that ended the replay early. Letters that are in neither list may or may not have been sent. */
  readonly error?: unknown;
}

/** Less than the default limit of a topic. */
const maxBatchBytes = 1_000_000;
const maxPerBatch = 500;
/** Well below the 100 MiB of a request at which a broker closes the connection. */
const maxLetterBytes = 64 * 1024 * 1024;
const deadlineMs = 60_000;
const recordBytes = 32;

/** Appends the messages of letters to the partition that they came from, the oldest first. */
export class LetterReplay {
  private readonly replayed: DeadLetter[] = [];
  private readonly refused: NotReplayed[] = [];

  private constructor(private readonly producer: Producer) {}

  /** Sends nothing when the partition of a letter does not exist. @throws, with nothing sent, if Kafka is unreachable. */
  static async run(kafka: Kafka, letters: readonly DeadLetter[]): Promise<Replay> {
    const homeless = await findWithoutPartition(kafka, letters);
    if (homeless.length > 0) return { replayed: [], refused: homeless };
    const producer = kafka.producer({ createPartitioner, allowAutoTopicCreation: false });
    await producer.connect();
    try {
      return await new LetterReplay(producer).replay(letters);
    } finally {
      await disconnected(producer);
    }
  }

  private async replay(letters: readonly DeadLetter[]): Promise<Replay> {
    const { replayed, refused } = this;
    try {
      // One partition at a time: a send over two leaders can resolve without one of them.
      const oldestFirst = letters.toReversed();
      for (const lettersOfPartition of Map.groupBy(oldestFirst, partitionKey).values()) {
        for (const batch of cutBatches(lettersOfPartition.filter((letter) => this.canBeSent(letter))))
          await this.send(batch);
      }
    } catch (error) {
      return { replayed: replayed.toReversed(), refused, error };
    }
    return { replayed: replayed.toReversed(), refused };
  }

  private canBeSent(letter: DeadLetter): boolean {
    const why = letter.damage
      ? 'parts of it are missing'
      : countBytes(letter) > maxLetterBytes
        ? describeSize(letter)
        : '';
    if (why !== '') this.refused.push({ letter, why });
    return why === '';
  }

  /** Sends a batch. Halves one that the topic finds too large; compresses a single letter, as its producer may have. */
  private async send(letters: readonly DeadLetter[]): Promise<void> {
    try {
      await this.publish(letters, CompressionTypes.None);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      const half = letters.length >> 1;
      const [letter] = letters;
      if (half > 0) {
        await this.send(letters.slice(0, half));
        await this.send(letters.slice(half));
      } else if (letter) {
        await this.sendCompressed(letter);
      }
      return;
    }
    this.replayed.push(...letters);
  }

  private async sendCompressed(letter: DeadLetter): Promise<void> {
    try {
      await this.publish([letter], CompressionTypes.ZSTD);
      this.replayed.push(letter);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      this.refused.push({ letter, why: describeSize(letter) });
    }
  }

  /** Sends letters of one partition in one batch. @throws when Kafka did not acknowledge it. */
  private async publish(letters: readonly DeadLetter[], compression: CompressionType): Promise<void> {
    const [{ topic, partition } = { topic: '', partition: 0 }] = letters;
    const messages: SizedMessage[] = letters.map(({ id, key, value, headers, encodedHeaders }) => {
      const marks = {
        ...(headers[header.possibleRepeat] === undefined && { [header.possibleRepeat]: '1' }),
        // If the message is refused again, its next letter has the id of this one.
        ...(String(headers[deadLetterHeader.firstLetterId]) !== id && { [deadLetterHeader.firstLetterId]: id }),
      };
      return { key, value, partition, encodedHeaders: appendHeaders(encodedHeaders, marks) };
    });
    const sending = this.producer.send({ topic, acks: -1, compression, messages });
    const acknowledged = await withinDeadline(sending, deadlineMs, 'Kafka did not acknowledge');
    if (!acknowledged.some((metadata) => metadata.topicName === topic && metadata.partition === partition)) {
      throw new Error(`Kafka did not acknowledge the messages for partition ${partition} of ${topic}`);
    }
  }
}

async function findWithoutPartition(kafka: Kafka, letters: readonly DeadLetter[]): Promise<NotReplayed[]> {
  const partitions = await withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics());
    const topics = [...new Set(letters.map(({ topic }) => topic))].filter((topic) => existing.has(topic));
    if (topics.length === 0) return new Map<string, Set<number>>();
    const { topics: topicMetadata } = await admin.fetchTopicMetadata({ topics });
    return new Map(
      topicMetadata.map(({ name, partitions }) => [
        name,
        new Set(partitions.map((partition) => partition.partitionId)),
      ]),
    );
  });
  return letters.flatMap((letter) => {
    const partitionIds = partitions.get(letter.topic);
    if (partitionIds?.has(letter.partition) === true) return [];
    const why = partitionIds
      ? `${letter.topic} has no partition ${letter.partition} any more`
      : `there is no topic ${letter.topic} any more`;
    return [{ letter, why }];
  });
}

function* cutBatches(letters: readonly DeadLetter[]): Generator<DeadLetter[]> {
  let batch: DeadLetter[] = [];
  let bytes = 0;
  for (const letter of letters) {
    const letterBytes = countBytes(letter);
    if (batch.length > 0 && (batch.length >= maxPerBatch || bytes + letterBytes > maxBatchBytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(letter);
    bytes += letterBytes;
  }
  if (batch.length > 0) yield batch;
}

const countBytes = ({ key, value, encodedHeaders }: DeadLetter): number =>
  recordBytes + (key?.length ?? 0) + (value?.length ?? 0) + encodedHeaders.length;

const describeSize = (letter: DeadLetter): string =>
  `its ${countBytes(letter)} bytes are more than ${letter.topic} takes`;
