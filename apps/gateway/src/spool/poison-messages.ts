import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { markedAsRepeat, NotPublishedError, type OutgoingMessage, type Sender } from '@sluice/kafka';
import { FailingTopics } from './failing-topics.js';
import { type Spool } from './spool.js';
import { type SpooledMessage } from './spooled-message.js';

/**
 * Time in which the good messages of a request with a refused one must reach Kafka, before the request goes to the
 * disk.
 */
const sortOutMs = 1_000;

/**
 * Separates messages that Kafka never takes from others of the same send: the good ones go to Kafka, the bad ones to
 * the refused file.
 */
export class PoisonMessages {
  private readonly logger = new Logger(PoisonMessages.name);
  private readonly failing = new FailingTopics();
  /**
   * The first known number of partitions of each topic. Messages that were written before Kafka was reached have no
   * partition; each attempt to send them uses these numbers, so that all go to the same one.
   */
  private readonly firstCounts = new Map<string, number>();
  private sendsFailed = 0;

  constructor(
    private readonly sender: Sender,
    private readonly spool: Spool,
  ) {}

  /** Consecutive failed sends that no message caused. */
  get failedSends(): number {
    return this.sendsFailed;
  }

  forgetFailedSends(): void {
    this.sendsFailed = 0;
  }

  /** Whether a topic of the messages has failed for so long that its accepted messages go to the refused file. */
  isGivenUp(messages: readonly OutgoingMessage[]): boolean {
    const { topic } = messages.find((message) => this.failing.isGivenUp(message.topic)) ?? {};
    if (topic === undefined) return false;
    this.failing.failed(topic);
    return true;
  }

  /** Delivers messages of requests after Kafka refused some of them. Returns false if that fails or takes too long. */
  async isSortedOut(messages: readonly OutgoingMessage[], isRepeat: boolean): Promise<boolean> {
    const sorted = this.deliver(toSpooled(messages, isRepeat), isRepeat).then(
      () => true,
      () => false,
    );
    return Promise.race([sorted, sleep(sortOutMs, false, { ref: false })]);
  }

  /**
   * Delivers a batch. If Kafka refuses it, it is halved until the bad messages are alone; if a topic fails, it is
   * divided by topic.
   * @throws NotPublishedError, SpoolError
   */
  async deliver(messages: readonly SpooledMessage[], isRepeat: boolean): Promise<void> {
    try {
      await this.sender.send(this.pinned(toPublish(messages, isRepeat)));
      this.failing.succeeded(messages.map(({ topic }) => topic));
    } catch (error) {
      if (!(error instanceof NotPublishedError && error.isMessageFault)) {
        this.sendsFailed += 1;
        throw error;
      }
      const parts = error.permanentErrorType === undefined ? byTopic(messages) : halves(messages);
      if (parts.length > 1) await this.deliverParts(parts);
      else await this.giveUpOn(messages, error);
    }
  }

  private pinned(messages: readonly OutgoingMessage[]): readonly OutgoingMessage[] {
    for (const [topic, count] of this.sender.partitionCounts)
      if (!this.firstCounts.has(topic)) this.firstCounts.set(topic, count);
    this.sender.pin(messages, this.firstCounts);
    return messages;
  }

  /** Delivers all parts, also when the topic of one fails. */
  private async deliverParts(parts: readonly (readonly SpooledMessage[])[]): Promise<void> {
    let failure: NotPublishedError | undefined;
    for (const part of parts) {
      try {
        await this.deliver(part, true);
      } catch (error) {
        if (!(error instanceof NotPublishedError) || error.topicFailure === undefined) throw error;
        failure = error;
      }
    }
    if (failure) throw failure;
  }

  /**
   * Writes messages to the refused file.
   * @param messages one refused message, or the messages of a failing topic
   * @throws the failure of a topic that is not given up yet
   */
  private async giveUpOn(messages: readonly SpooledMessage[], error: NotPublishedError): Promise<void> {
    const [topic = ''] = messages.map((message) => message.topic);
    if (error.permanentErrorType === undefined) {
      this.failing.failed(topic);
      if (!this.failing.isGivenUp(topic)) throw error;
    }
    const reason = error.permanentErrorType ?? error.topicFailure ?? error.message;
    await this.spool.refuse(messages, reason);
    this.logger.error({
      msg: 'Kafka refused messages for good; they are in the refused file',
      error: reason,
      topic,
      count: messages.length,
    });
  }
}

function byTopic(messages: readonly SpooledMessage[]): SpooledMessage[][] {
  return [...Map.groupBy(messages, ({ topic }) => topic).values()];
}

function halves(messages: readonly SpooledMessage[]): (readonly SpooledMessage[])[] {
  const half = messages.length >> 1;
  return half === 0 ? [messages] : [messages.slice(0, half), messages.slice(half)];
}

/** Gives messages the form of messages on the disk. */
function toSpooled(messages: readonly OutgoingMessage[], wasTried: boolean): SpooledMessage[] {
  const acceptedAt = Date.now();
  return messages.map(({ headers, ...message }) => ({
    ...message,
    headers: JSON.stringify(headers),
    seq: 0,
    acceptedAt,
    wasTried,
  }));
}

/** Converts messages of the disk. Messages with the same headers share one object, which is parsed and encoded once. */
function toPublish(messages: readonly SpooledMessage[], isRepeat: boolean): OutgoingMessage[] {
  const headersByText = new Map<string, OutgoingMessage['headers']>();
  return messages.map(({ topic, key, value, headers: text, partition, wasTried }) => {
    const isMarked = isRepeat || wasTried;
    const markedText = `${isMarked}${text}`;
    const headers = headersByText.get(markedText) ?? parseHeaders(text, isMarked);
    headersByText.set(markedText, headers);
    return { topic, key, value: typeof value === 'string' ? value : Buffer.from(value), headers, partition };
  });
}

function parseHeaders(text: string, isMarked: boolean): OutgoingMessage['headers'] {
  const headers = JSON.parse(text) as OutgoingMessage['headers'];
  return isMarked ? markedAsRepeat(headers) : headers;
}
