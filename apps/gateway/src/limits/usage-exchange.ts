import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Logger } from '@nestjs/common';
import {
  CompactedTopicFollower,
  type CompactedRecord,
  CompactedTopicWriter,
  type Kafka,
  type RecordSink,
  withinDeadline,
} from '@sluice/kafka';
import { errorCode } from '@sluice/service';
import { parseUsage, usageRecord, usageTopic } from '@sluice/sources';
import { type SourceLimiter } from './source-limiter.js';
import { type UsageBook } from './usage-book.js';

const publishMs = 1_000;
/** Upper bound of the wait for Kafka at a stop. */
const lastPublishMs = 1_000;
const sweepMs = 60 * 60 * 1_000;
/** Upper bound of stale records removed at a time; a few restarts with all sources leave as many. */
const maxSwept = 5_000;

/**
 * Exchanges the counts of limited sources with the other processes, once a second. While Kafka is unavailable, nothing
 * is exchanged, except that workers of one gateway still share their requests (`shareRate`).
 */
export class UsageExchange {
  private readonly logger = new Logger(UsageExchange.name);
  private readonly instance = randomUUID();
  /** Workers of one gateway have the same parent. */
  private readonly gateway = cluster.isWorker ? `${hostname()}:${process.ppid}` : this.instance;
  private readonly writer: CompactedTopicWriter;
  private readonly follower: CompactedTopicFollower;
  private readonly timers: NodeJS.Timeout[] = [];
  /** The pending write. There is one at a time, so that an older count never overwrites a newer one. */
  private publishing: Promise<void> | undefined;

  constructor(
    kafka: Kafka,
    private readonly usage: UsageBook,
    private readonly limits: SourceLimiter,
  ) {
    this.writer = new CompactedTopicWriter(kafka, usageTopic);
    this.follower = new CompactedTopicFollower(kafka, usageTopic, () => this.newReading());
  }

  start(): void {
    this.follower.follow();
    this.timers.push(setInterval(() => void this.publish(), publishMs).unref());
    this.timers.push(setInterval(() => void this.sweep(), sweepMs).unref());
  }

  /** Tries for a second to report all pending changes, then disconnects. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    const published = this.publish().then(() => this.publish());
    await withinDeadline(published, lastPublishMs, 'usage not published').catch(() => undefined);
    await Promise.all([this.writer.stop(), this.follower.stop()]);
  }

  /** Records written before reading began count for quotas only, not for the present rates. */
  private newReading(): RecordSink {
    let isCurrent = false;
    return {
      take: (record) => this.learn(record, isCurrent),
      caughtUp: () => {
        isCurrent = true;
      },
    };
  }

  private learn({ key, value }: CompactedRecord, isCurrent: boolean): void {
    if (value === null) {
      this.usage.forget(key);
      return;
    }
    const usage = parseUsage(value);
    if (usage.instance === this.instance) return;
    const requests = this.usage.learn(key, usage);
    // Workers of one gateway inform each other sooner, without Kafka.
    if (isCurrent && usage.gateway !== this.gateway) this.limits.rate.takenElsewhere(usage.sourceIdentifier, requests);
  }

  private publish(): Promise<void> {
    this.publishing ??= this.publishChanges().finally(() => {
      this.publishing = undefined;
    });
    return this.publishing;
  }

  private async publishChanges(): Promise<void> {
    const changes = this.usage.takeChanges((source) => this.limits.isLimited(source));
    if (changes.length === 0) return;
    const { instance, gateway } = this;
    try {
      await this.writer.write(changes.map((change) => usageRecord({ ...change, instance, gateway })));
    } catch (error) {
      this.usage.markUnreported(changes.map(({ sourceIdentifier }) => sourceIdentifier));
      this.logger.debug({ msg: 'usage of the sources could not be sent', code: errorCode(error) });
    }
  }

  private async sweep(): Promise<void> {
    const keys = this.usage.stale().slice(0, maxSwept);
    await this.writer.write(keys.map((key) => ({ key, value: null }))).catch(() => undefined);
  }
}
