import { Logger } from '@nestjs/common';
import { codeOf } from '@sluice/service';
import { type Kafka } from '@sluice/kafkajs';
import { withinDeadline } from '../connection/deadline.js';
import { endsTopic, type LogOffsets, recordOfOffsets } from '../topics/acknowledged-ends.js';
import { CompactedTopicWriter } from './compacted-topic-writer.js';

const tellMs = 1_000;
/** Pause after a failure: the topic may not exist, or be forbidden. */
const failedMs = 10_000;
const logAgainMs = 60_000;
/** Upper bound of the wait for Kafka at a stop. */
const lastTellMs = 1_000;
/** Upper bound of logs whose offsets are not written yet. */
const maxUnreported = 1_000;

/** Writes offsets to `acknowledged-ends.v1` once a second, as far as they have changed. Nothing waits for it. */
export class OffsetsTeller {
  private readonly logger = new Logger(OffsetsTeller.name);
  private readonly writer: CompactedTopicWriter;
  /** Offsets that are not written yet, by the id of their log. */
  private readonly untold = new Map<string, LogOffsets>();
  private timer: NodeJS.Timeout | undefined;
  private telling: Promise<void> | undefined;
  private waitsUntil = 0;
  private isOver = false;
  private loggedAt = -Infinity;

  /**
   * @param changes resolves with what has changed since the last call
   * @param failed is called with each failure
   */
  constructor(
    kafka: Kafka,
    private readonly changes: () => Promise<readonly LogOffsets[]>,
    private readonly failed: (error: unknown) => void,
  ) {
    this.writer = new CompactedTopicWriter(kafka, endsTopic);
  }

  start(): void {
    if (this.timer) return;
    this.timer = setInterval(() => {
      if (performance.now() >= this.waitsUntil) void this.tell();
    }, tellMs).unref();
    void this.tell();
  }

  /** Writes what has changed since the last write, if Kafka takes it within a second, and disconnects. */
  async stop(): Promise<void> {
    if (!this.timer) return;
    clearInterval(this.timer);
    const told = (this.telling ?? Promise.resolve()).then(() => this.tell());
    await withinDeadline(told, lastTellMs, 'offsets not told').catch(() => undefined);
    this.isOver = true;
    // A write that is still under way may have connected anew. Not awaited: kafkajs can wait long for pending answers.
    void told.then(() => this.writer.stop());
  }

  /** One at a time, so that an older offset never replaces a newer one. Never rejects. */
  private tell(): Promise<void> {
    if (this.isOver) return Promise.resolve();
    this.telling ??= this.tellChanges()
      .catch((error: unknown) => this.pause(error))
      .finally(() => {
        this.telling = undefined;
      });
    return this.telling;
  }

  private async tellChanges(): Promise<void> {
    const { untold } = this;
    for (const one of await this.changes()) {
      if (untold.has(one.id) || untold.size < maxUnreported) untold.set(one.id, one);
    }
    const told = [...untold];
    await this.writer.write(told.map(([, offsets]) => recordOfOffsets(offsets)));
    for (const [id] of told) untold.delete(id);
  }

  private pause(error: unknown): void {
    const now = performance.now();
    this.waitsUntil = now + failedMs;
    this.failed(error);
    if (now - this.loggedAt < logAgainMs) return;
    this.loggedAt = now;
    const msg = 'offsets could not be written: losses of a topic that is deleted may be counted wrong';
    this.logger.warn({ msg, topic: endsTopic, code: codeOf(error) });
  }
}
