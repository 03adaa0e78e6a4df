import { Logger } from '@nestjs/common';
import { type Kafka } from '@sluice/kafkajs';
import { type TopicPartition, type Rejection } from '../protocol/block.js';
import { type KafkaConfig } from '../connection/config.js';
import { countBytesAlone, countBytes, type LetterMessage, letterParts, wholeLetter } from './letter-messages.js';
import { isTooLarge, LetterSender } from './letter-sender.js';
import { ensureDeadLetterTopic } from '../topics/topics.js';

/**
 * Usual bytes of a record batch, which `max.message.bytes` of a topic limits. It is below a broker's default limit of
 * 1,048,588; topics that Sluice creates take twice as much.
 */
const usualBatchBytes = 1_000_000;
/** Time after which a topic is tried with usual batches again: its limit may have been raised. */
const smallForMs = 10 * 60_000;
/** Smallest batch in which a part has room in addition to its headers. A topic that takes less takes no letters. */
const minBatchBytes = 1_024;
/** Upper bound of letters in a batch: encoding them blocks the process for some milliseconds. */
const maxLettersPerBatch = 1_000;

/** Writes refused messages, their bytes untouched, to the dead-letter topic of their topic. */
export class DeadLetters {
  private readonly logger = new Logger(DeadLetters.name);
  private readonly senders = new Map<string, LetterSender>();
  /** The limit of a batch for topics that took less than usual, and since when (performance.now). */
  private readonly small = new Map<string, { readonly batchBytes: number; readonly since: number }>();
  /** Number of acknowledged letters, by array: a repeat continues after them. */
  private readonly acknowledged = new WeakMap<readonly Rejection[], number>();

  constructor(
    private readonly kafka: Kafka,
    private readonly config: KafkaConfig,
  ) {}

  /**
   * Resolves when all in-sync replicas have the letters.
   * @throws when they have not; retry with the same array.
   */
  async write(place: TopicPartition, rejections: readonly Rejection[]): Promise<void> {
    let next = this.acknowledged.get(rejections) ?? 0;
    while (next < rejections.length) {
      next += await this.writeSome(place, rejections, next);
      this.acknowledged.set(rejections, next);
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.senders.values()].map((sender) => sender.stop()));
  }

  /** Writes as many letters as fit into a batch, or one in parts. Returns their number; 0 if a batch was too large. */
  private async writeSome(place: TopicPartition, rejections: readonly Rejection[], from: number): Promise<number> {
    const batch: LetterMessage[] = [];
    const maxBytes = this.batchLimit(place.topic);
    let bytes = 0;
    for (let index = from; index < rejections.length && batch.length < maxLettersPerBatch; index++) {
      const rejection = rejections[index];
      if (!rejection) break;
      const letter = wholeLetter(place, rejection);
      if (countBytesAlone(letter) > maxBytes && batch.length === 0) return this.writeParts(place, rejection);
      bytes += batch.length === 0 ? countBytesAlone(letter) : countBytes(letter);
      if (bytes > maxBytes) break;
      batch.push(letter);
    }
    return (await this.fits(place, batch)) ? batch.length : 0;
  }

  private async writeParts(place: TopicPartition, rejection: Rejection): Promise<number> {
    for (const part of letterParts(place, rejection, this.batchLimit(place.topic))) {
      if (!(await this.fits(place, [part]))) return 0;
    }
    return 1;
  }

  /** Sends the batch. False when it was too large for the topic: the next batches are smaller. */
  private async fits({ topic }: TopicPartition, batch: readonly LetterMessage[]): Promise<boolean> {
    try {
      await this.openSender(topic).send(batch);
      return true;
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      const refused = batch.reduce((sum, letter) => sum + countBytes(letter), 0);
      const maxBytes = this.batchLimit(topic);
      if (Math.min(maxBytes, refused) <= minBatchBytes) throw error;
      // Half of the refused size: other partitions may have reduced the limit already.
      const batchBytes = Math.max(minBatchBytes, Math.min(maxBytes, refused >> 1));
      this.small.set(topic, { batchBytes, since: performance.now() });
      this.logger.warn({ msg: 'the dead-letter topic takes only small batches', topic, batchBytes });
      return false;
    }
  }

  private batchLimit(topic: string): number {
    const small = this.small.get(topic);
    const isSmall = small !== undefined && performance.now() - small.since < smallForMs;
    return isSmall ? small.batchBytes : usualBatchBytes;
  }

  private openSender(topic: string): LetterSender {
    let sender = this.senders.get(topic);
    if (!sender) {
      sender = new LetterSender(this.kafka, topic, () => ensureDeadLetterTopic(this.kafka, this.config, topic));
      this.senders.set(topic, sender);
    }
    return sender;
  }
}
