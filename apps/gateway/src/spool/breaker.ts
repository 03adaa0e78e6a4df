import { Logger } from '@nestjs/common';
import { type OutgoingMessage } from '@sluice/kafka';
import { HeldRequests, type Publish } from './held-requests.js';
import { type SpoolState } from './spool-folder.js';

/** When no more than this waits on the disk, new requests wait in memory for it to be empty. */
const lastRows = 2_000;
const lastBytes = 4 * 1024 * 1024;
/** After requests were held in vain, the next ones are not. */
const holdAgainMs = 3_000;

/**
 * Closed: requests go to Kafka. Open: they go to the disk, behind what waits there, or are held while little of that is
 * left. It begins open.
 */
export class Breaker {
  private readonly logger = new Logger(Breaker.name);
  private opened = true;
  private held: HeldRequests | undefined;
  private mayHoldAt = 0;

  /** Called when it opens: it stays open until somebody closes it. */
  onOpen: () => void = () => undefined;

  /** @param toDisk takes requests that were held in vain */
  constructor(private readonly toDisk: Publish) {}

  get isOpen(): boolean {
    return this.opened;
  }

  open(why: string): void {
    if (this.opened) return;
    this.opened = true;
    this.logger.warn(`${why}: new messages go to the disk`);
    this.onOpen();
  }

  /** In one tick: no request comes between those that were held, which go to Kafka, and the next one. */
  close(toKafka: Publish): void {
    this.opened = false;
    const { held } = this;
    this.held = undefined;
    void held?.release(toKafka);
    this.logger.log('all messages of the disk are in Kafka, as new ones will be');
  }

  /** To be called at a start that finds nothing to wait for. */
  beginClosed(): void {
    this.opened = false;
  }

  /** Takes a request while it is open: to the disk, or held. */
  take(messages: readonly OutgoingMessage[]): Promise<void> {
    return this.held ? this.held.hold(messages) : this.toDisk(messages, performance.now());
  }

  /**
   * Nearly empty: what came to the disk now would keep the breaker open for as long as anybody sends anything. Held
   * requests are bounded, in time too, and go to the disk when the rest of it does not reach Kafka.
   */
  hold({ rows, bytes }: Pick<SpoolState, 'rows' | 'bytes'>): void {
    if (this.held || rows > lastRows || bytes > lastBytes || performance.now() < this.mayHoldAt) return;
    this.held = new HeldRequests(() => void this.holdNoLonger());
  }

  async holdNoLonger(): Promise<void> {
    const { held } = this;
    if (!held) return;
    this.held = undefined;
    this.mayHoldAt = performance.now() + holdAgainMs;
    await held.release(this.toDisk);
  }
}
