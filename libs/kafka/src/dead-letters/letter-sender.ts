import { deadLetterTopic } from '@sluice/contracts';
import { type ICustomPartitioner, type Kafka, type Producer } from '@sluice/kafkajs';
import { withinDeadline } from '../connection/deadline.js';
import { disconnected } from '../connection/disconnected.js';
import { type LetterMessage } from './letter-messages.js';
import { listErrorTypes } from '../connection/error-types.js';

const timeoutMs = 4_000;
/** Time for a new connection, a look-up of the leader and a send: kafkajs' own time-outs add up to less. */
const deadlineMs = 15_000;

/**
 * Sends to the dead-letter topic of one topic. Each has a producer of its own: kafkajs asks for the metadata of all
 * topics of a producer at once, so a forbidden or deleted one would fail the sends to all others.
 */
export class LetterSender {
  private readonly box: string;
  private connecting: Promise<Producer> | undefined;
  private isStopped = false;

  constructor(
    private readonly kafka: Kafka,
    topic: string,
    /** Creates the dead-letter topic. */
    private readonly create: () => Promise<unknown>,
  ) {
    this.box = deadLetterTopic(topic);
  }

  /**
   * Resolves when all in-sync replicas have the messages, which have one origin and so go to one partition.
   * @throws when that is not certain; retry, with smaller batches when `isTooLarge`.
   */
  async send(messages: readonly LetterMessage[]): Promise<void> {
    try {
      await this.trySend(messages);
    } catch (error) {
      if (!isUnknownTopic(error)) throw error;
      await this.create();
      await this.trySend(messages);
    }
  }

  async stop(): Promise<void> {
    const { connecting } = this;
    this.isStopped = true;
    this.connecting = undefined;
    await connecting?.then(disconnected, () => undefined);
  }

  private async trySend(messages: readonly LetterMessage[]): Promise<void> {
    if (this.isStopped) throw new Error('dead letters are not written any more: the process stops');
    const connecting = (this.connecting ??= this.connect());
    try {
      const sending = connecting.then((producer) =>
        producer.send({ topic: this.box, acks: -1, timeout: timeoutMs, messages: [...messages] }),
      );
      const acknowledged = await withinDeadline(sending, deadlineMs, 'dead letters were not acknowledged');
      // kafkajs can resolve a send that it has not delivered: only the partitions in its result were acknowledged.
      if (!acknowledged.some(({ topicName }) => topicName === this.box)) {
        throw new Error(`Kafka acknowledged nothing of the letters for ${this.box}`);
      }
    } catch (error) {
      if (!isTooLarge(error)) this.abandon(connecting);
      throw error;
    }
  }

  /** Drops the producer: the next send begins with a new connection and new metadata. */
  private abandon(connecting: Promise<Producer>): void {
    if (this.connecting === connecting) this.connecting = undefined;
    connecting.then(disconnected).catch(() => undefined);
  }

  /** Connects without retries inside kafkajs: the callers of `DeadLetters` retry, and report failures. */
  private async connect(): Promise<Producer> {
    const retry = { retries: 0 };
    const producer = this.kafka.producer({ createPartitioner: byOrigin, allowAutoTopicCreation: false, retry });
    await producer.connect();
    return producer;
  }
}

/** A letter's partition follows from that of its message, so that letters keep the order of their partition. */
const byOrigin: ICustomPartitioner =
  () =>
  ({ partitionMetadata, message }) => {
    const ids = partitionMetadata.map(({ partitionId }) => partitionId).sort((a, b) => a - b);
    const { origin = 0 } = message as Partial<LetterMessage>;
    return ids[origin % ids.length] ?? 0;
  };

const tooLarge = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

/** True when the batch is larger than its topic takes: Kafka took nothing of it, and never will. */
export const isTooLarge = (error: unknown): boolean => listErrorTypes(error).some((type) => tooLarge.has(type));

const isUnknownTopic = (error: unknown): boolean => listErrorTypes(error).includes('UNKNOWN_TOPIC_OR_PARTITION');
