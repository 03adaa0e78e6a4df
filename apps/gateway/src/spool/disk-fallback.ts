import { NotPublishedError, type OutgoingMessage, type Sender } from '@sluice/kafka';
import { type Breaker } from './breaker.js';
import { type DrainRate } from './drain-rate.js';
import { type PoisonMessages } from './poison-messages.js';
import { type Spool } from './spool.js';

/** Writes messages to the spool; a refused client learns when to retry. */
export class SpoolDisk {
  constructor(
    private readonly sender: Sender,
    private readonly spool: Spool,
    private readonly rate: DrainRate,
  ) {}

  get retryAfterSeconds(): number {
    return this.rate.secondsToFree(this.spool.state.rows);
  }

  /** @throws NotPublishedError when the messages are not on the disk. */
  async write(messages: readonly OutgoingMessage[], isInDoubt: boolean): Promise<void> {
    // Each attempt of the drain can leave a message in doubt, so all attempts must use the same partition.
    this.sender.pin(messages);
    try {
      await this.spool.write(messages, isInDoubt);
    } catch (error) {
      if (!(error instanceof NotPublishedError)) throw error;
      const { retryAfterSeconds } = this;
      throw new NotPublishedError(error.message, { cause: error.cause, retryAfterSeconds });
    }
  }
}

/**
 * Takes messages that the publisher could not publish: sets apart those that Kafka refuses, writes others to the disk.
 */
export class DiskFallback {
  constructor(
    private readonly poison: PoisonMessages,
    private readonly breaker: Breaker,
    private readonly disk: SpoolDisk,
  ) {}

  /** @throws NotPublishedError when the messages are durable nowhere, or their topic is given up. */
  async take(messages: readonly OutgoingMessage[], isInDoubt: boolean, failure: NotPublishedError): Promise<void> {
    if (failure.topicFailure !== undefined && this.poison.isGivenUp(messages)) {
      const { retryAfterSeconds } = this.disk;
      throw new NotPublishedError('its topic is unknown or forbidden', { cause: failure, retryAfterSeconds });
    }
    if (failure.isMessageFault && (await this.poison.isSortedOut(messages, isInDoubt))) return;
    this.breaker.open(`Kafka did not take messages (${failure.message})`);
    await this.disk.write(messages, isInDoubt);
  }
}
