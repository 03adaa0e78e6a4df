import { deadLetterTopic } from '@sluice/contracts';
import type { IHeaders, Kafka, Producer } from 'kafkajs';
import { type Block, type Refusal } from './block.js';
import { createPartitioner } from './client.js';
import { deadLetterHeader } from './dead-letter.js';

/** Writes refused messages, their bytes untouched, to the dead-letter topic of their topic. */
export class DeadLetters {
  private readonly producer: Producer;

  constructor(kafka: Kafka) {
    this.producer = kafka.producer({ createPartitioner, allowAutoTopicCreation: false });
  }

  start(): Promise<void> {
    return this.producer.connect();
  }

  /** Resolves when all in-sync replicas have them. @throws when they have not; to be tried again. */
  async write({ topic, partition }: Pick<Block, 'topic' | 'partition'>, refusals: readonly Refusal[]): Promise<void> {
    if (refusals.length === 0) return;
    await this.producer.send({
      topic: deadLetterTopic(topic),
      acks: -1,
      messages: refusals.map((refusal) => asLetter(topic, partition, refusal)),
    });
  }

  stop(): Promise<void> {
    return this.producer.disconnect();
  }
}

function asLetter(topic: string, partition: number, { message, reason }: Refusal) {
  const headers: IHeaders = {
    ...message.headers,
    [deadLetterHeader.reason]: reason.slice(0, 1_000),
    [deadLetterHeader.topic]: topic,
    [deadLetterHeader.partition]: String(partition),
    [deadLetterHeader.offset]: message.offset,
    [deadLetterHeader.timestamp]: message.timestamp,
  };
  return { key: message.key, value: message.value, headers };
}
