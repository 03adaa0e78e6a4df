import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type Sender } from '@sluice/kafka';
import { backoffMs } from '@sluice/service';
import { type Breaker } from './breaker.js';
import { type DrainRate } from './drain-rate.js';
import { type Publish } from './held-requests.js';
import { type PoisonMessages } from './poison-messages.js';
import { type Spool } from './spool.js';

/** Pauses after failures. Each is random, from half to all of its length, so that gateways do not retry all at once. */
const backoff = { firstPauseMs: 650, maxPauseMs: 6_500 };
/** Consecutive failures after which a stop leaves the spool to the next process. */
const failuresOfStop = 3;
/** Consecutive failed sends, while Kafka answers other requests, before the connections are renewed. */
const failuresPerConnection = 2;

interface Parts {
  readonly sender: Sender;
  readonly spool: Spool;
  readonly poison: PoisonMessages;
  readonly breaker: Breaker;
  readonly rate: DrainRate;
  /** Takes the held requests when the breaker closes. */
  readonly toKafka: Publish;
}

/** Empties the spool into Kafka whenever the breaker opens, and closes it when nothing is left. */
export class SpoolDrain {
  private readonly logger = new Logger(SpoolDrain.name);
  private readonly stopping = new AbortController();
  private isEnding = false;
  /** Consecutive failed attempts. */
  private failures = 0;
  private draining: Promise<void> | undefined;

  constructor(private readonly parts: Parts) {
    parts.breaker.onOpen = () => this.start();
  }

  start(): void {
    this.draining ??= this.untilClosed();
  }

  /** Makes the drain give up after a few failures. */
  end(): void {
    this.isEnding = true;
  }

  get isFailing(): boolean {
    return this.failures > 0;
  }

  /** Stops after the pending attempt. */
  stop(): void {
    this.stopping.abort();
  }

  async ended(timeoutMs: number): Promise<void> {
    await Promise.race([this.draining, sleep(timeoutMs, undefined, { ref: false })]);
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async untilClosed(): Promise<void> {
    const { sender, poison, breaker, rate } = this.parts;
    this.failures = 0;
    do {
      const pauseMs = backoffMs(this.failures + 1, backoff);
      await sleep(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.isStopping) break;
      try {
        await sender.start();
        this.failures = poison.failedSends;
        await this.renewConnection();
        await this.drainAll();
      } catch (error) {
        void breaker.holdNoLonger();
        this.failures += 1;
        rate.reset();
        this.logger.warn({ msg: 'the spool could not be emptied yet', error: String(error) });
      }
      if (this.isEnding && this.failures >= failuresOfStop) break;
    } while (breaker.isOpen);
    // Set in the same tick as the last check of `isOpen`, so that a later opening starts a new drain.
    this.draining = undefined;
  }

  /**
   * Renews the connection when Kafka answers other requests but sends fail: the connection may be dead, or kafkajs has
   * a stale list of leaders. Not done at the first failure: on the same connection, a message in doubt arrives before
   * its repeat.
   */
  private async renewConnection(): Promise<void> {
    const { poison, sender } = this.parts;
    if (poison.failedSends < failuresPerConnection) return;
    poison.forgetFailedSends();
    await sender.reconnect();
  }

  /** Delivers batches in turn, so that none can overtake a failed one. */
  private async drainAll(): Promise<void> {
    const { spool, poison, breaker, rate, toKafka } = this.parts;
    let hasDelivered = false;
    while (!this.isStopping) {
      // Requests are held only after Kafka has taken a batch; before, they might wait in vain.
      if (hasDelivered) breaker.hold(spool.state);
      const batch = await spool.next();
      if (batch.length > 0) {
        await poison.deliver(batch, false);
        spool.delivered();
        hasDelivered = true;
        poison.forgetFailedSends();
        rate.add(batch.length);
      } else if (spool.isEmpty) {
        breaker.close(toKafka);
        return;
      }
    }
    await breaker.holdNoLonger();
  }
}
