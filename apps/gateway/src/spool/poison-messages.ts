import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { markedAsRepeat, NotPublishedError, type OutgoingMessage, type Sender } from '@sluice/kafka';
import { FailingTopics } from './failing-topics.js';
import { type Spool } from './spool.js';
import { type SpooledMessage } from './spooled-message.js';

/** How long the good messages of a request that holds a refused one are tried before it goes to the disk. */
const sortOutMs = 1_000;

/**
 * Tells the messages that Kafka will never take from those that were sent with them: the good ones go to Kafka, the bad
 * ones into the refused file.
 */
export class PoisonMessages {
  private readonly logger = new Logger(PoisonMessages.name);
  private readonly failing = new FailingTopics();
  private sendsFailed = 0;

  constructor(
    private readonly sender: Sender,
    private readonly spool: Spool,
  ) {}

  /** Sends that failed one after the other, though no message was to blame. */
  get failedSends(): number {
    return this.sendsFailed;
  }

  forgetFailedSends(): void {
    this.sendsFailed = 0;
  }

  /** Whether a topic of the messages has failed for so long that what was accepted for it went to the refused file. */
  isGivenUp(messages: readonly OutgoingMessage[]): boolean {
    const { topic } = messages.find((message) => this.failing.isGivenUp(message.topic)) ?? {};
    if (topic === undefined) return false;
    this.failing.failed(topic);
    return true;
  }

  /** Delivers messages of requests, of which Kafka refused some. False when that did not succeed in time. */
  async isSortedOut(messages: readonly OutgoingMessage[], isRepeat: boolean): Promise<boolean> {
    const sorted = this.deliver(toSpooled(messages, isRepeat), isRepeat).then(
      () => true,
      () => false,
    );
    return Promise.race([sorted, sleep(sortOutMs, false, { ref: false })]);
  }

  /**
   * A batch that Kafka refuses is cut until the bad messages stand alone, one that a topic fails is cut by topics.
   * @throws NotPublishedError, SpoolError
   */
  async deliver(messages: readonly SpooledMessage[], isRepeat: boolean): Promise<void> {
    try {
      await this.sender.send(toPublish(messages, isRepeat));
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

  /** Those of other topics too when one fails. */
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

  /** @param messages one that is refused, or those of a topic that fails. @throws the failure of a topic that is new */
  private async giveUpOn(messages: readonly SpooledMessage[], error: NotPublishedError): Promise<void> {
    const [topic = ''] = messages.map((message) => message.topic);
    if (error.permanentErrorType === undefined) {
      this.failing.failed(topic);
      if (!this.failing.isGivenUp(topic)) throw error;
    }
    const reason = error.permanentErrorType ?? error.topicFailure ?? error.message;
    const count = messages.length;
    this.logger.error({
      msg: 'Kafka refused messages for good; they are in the refused file',
      error: reason,
      topic,
      count,
    });
    await this.spool.refuse(messages, reason);
  }
}

function byTopic(messages: readonly SpooledMessage[]): SpooledMessage[][] {
  return [...Map.groupBy(messages, ({ topic }) => topic).values()];
}

function halves(messages: readonly SpooledMessage[]): (readonly SpooledMessage[])[] {
  const half = messages.length >> 1;
  return half === 0 ? [messages] : [messages.slice(0, half), messages.slice(half)];
}

/** As if they had been on the disk. */
function toSpooled(messages: readonly OutgoingMessage[], wasTried: boolean): SpooledMessage[] {
  const at = Date.now();
  return messages.map(({ headers, ...message }) => ({
    ...message,
    headers: JSON.stringify(headers),
    seq: 0,
    at,
    wasTried,
  }));
}

/** The messages of a request share their headers, which are read, and later encoded, once. */
function toPublish(messages: readonly SpooledMessage[], isRepeat: boolean): OutgoingMessage[] {
  const read = new Map<string, OutgoingMessage['headers']>();
  return messages.map(({ topic, key, value, headers: text, wasTried }) => {
    const isMarked = isRepeat || wasTried;
    const known = `${isMarked}${text}`;
    const headers = read.get(known) ?? headersOf(text, isMarked);
    read.set(known, headers);
    return { topic, key, value: typeof value === 'string' ? value : Buffer.from(value), headers };
  });
}

function headersOf(text: string, isMarked: boolean): OutgoingMessage['headers'] {
  const headers = JSON.parse(text) as OutgoingMessage['headers'];
  return isMarked ? markedAsRepeat(headers) : headers;
}
