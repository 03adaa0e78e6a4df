import { Logger } from '@nestjs/common';
import { type OutgoingMessage } from '@sluice/kafka';
import { HeldRequests, type Publish } from './held-requests.js';
import { type SpoolState } from './spool-folder.js';

/** Backlog on the disk up to which new requests are held in memory until it is empty. */
const lastRows = 2_000;
const lastBytes = 4 * 1024 * 1024;
/** Time after a failed hold in which no requests are held. */
const holdAgainMs = 3_000;

/**
 * Routes requests. Closed: they go to Kafka. Open: they go to the disk, behind its backlog, or are held in memory while
 * the backlog is small. A breaker starts open.
 */
export class Breaker {
  private readonly logger = new Logger(Breaker.name);
  private opened = true;
  private heldRequests: HeldRequests | undefined;
  private mayHoldAt = 0;

  /** Called when the breaker opens; it stays open until `close` is called. */
  onOpen: () => void = () => undefined;

  /** @param toDisk writes requests to the disk, also those that were held and could not go to Kafka */
  constructor(private readonly toDisk: Publish) {}

  get isOpen(): boolean {
    return this.opened;
  }

  open(reason: string): void {
    if (this.opened) return;
    this.opened = true;
    this.logger.warn(`${reason}: new messages go to the disk`);
    this.onOpen();
  }

  /** Sends the held requests to Kafka in the same tick, so that no later request overtakes them. */
  close(toKafka: Publish): void {
    this.opened = false;
    const { heldRequests } = this;
    this.heldRequests = undefined;
    void heldRequests?.release(toKafka);
    this.logger.log('all messages of the disk are in Kafka: new messages go to Kafka');
  }

  /** Must be called at a start without a backlog. */
  beginClosed(): void {
    this.opened = false;
  }

  /** Takes a request while the breaker is open: writes it to the disk or holds it. */
  take(messages: readonly OutgoingMessage[]): Promise<void> {
    return this.heldRequests ? this.heldRequests.hold(messages) : this.toDisk(messages, performance.now());
  }

  /**
   * Begins to hold requests when the backlog is small: writing them to the disk would keep the breaker open for as
   * long as requests arrive. Held requests are bounded in number, size and time; they go to the disk when the backlog
   * does not reach Kafka in time.
   */
  hold({ rows, bytes }: Pick<SpoolState, 'rows' | 'bytes'>): void {
    if (this.heldRequests || rows > lastRows || bytes > lastBytes || performance.now() < this.mayHoldAt) return;
    this.heldRequests = new HeldRequests(() => void this.holdNoLonger());
  }

  async holdNoLonger(): Promise<void> {
    const { heldRequests } = this;
    if (!heldRequests) return;
    this.heldRequests = undefined;
    this.mayHoldAt = performance.now() + holdAgainMs;
    await heldRequests.release(this.toDisk);
  }
}
