import { type Block, createBlock, type StoredMessage } from './block.js';
import { type BlockConfig } from './config.js';

/** How blocks of one partition leave: stored, then confirmed. Resolves when the next block may follow. */
export type StoreAndConfirm = (block: Block) => Promise<void>;

/**
 * Gathers the messages of one partition into blocks and hands them on one after the other, while the next ones gather.
 * A block is full by rows, by bytes or by age.
 */
export class PartitionBlocks {
  private messages: StoredMessage[] = [];
  private bytes = 0;
  private oldestAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private storing: Promise<void> | undefined;
  private dropped = false;

  constructor(
    readonly topic: string,
    readonly partition: number,
    private readonly limits: BlockConfig,
    private readonly storeAndConfirm: StoreAndConfirm,
  ) {}

  append(messages: readonly StoredMessage[]): void {
    if (messages.length === 0) return;
    if (this.messages.length === 0) this.oldestAt = Date.now();
    for (const message of messages) {
      this.messages.push(message);
      this.bytes += message.value?.length ?? 0;
    }
    this.next();
  }

  /** More waits than the next block can take: fetching should pause. */
  get isFull(): boolean {
    return this.messages.length >= 2 * this.limits.BLOCK_MAX_ROWS || this.bytes >= 2 * this.limits.BLOCK_MAX_BYTES;
  }

  /** Forgets what waits: the partition was taken away or will be read again. A block under way is finished. */
  drop(): void {
    this.dropped = true;
    this.messages = [];
    this.bytes = 0;
    clearTimeout(this.timer);
  }

  /** Hands on all that waits, full or not; resolves when it is stored and confirmed. */
  async drain(): Promise<void> {
    while (this.storing !== undefined || this.messages.length > 0) {
      if (this.storing === undefined) this.start();
      await this.storing;
    }
  }

  private next(): void {
    if (this.storing !== undefined || this.messages.length === 0 || this.dropped) return;
    const waitMs = this.isDue() ? 0 : this.oldestAt + this.limits.BLOCK_MAX_AGE_MS - Date.now();
    clearTimeout(this.timer);
    if (waitMs <= 0) this.start();
    else
      this.timer = setTimeout(() => {
        this.next();
      }, waitMs);
  }

  private isDue(): boolean {
    return this.messages.length >= this.limits.BLOCK_MAX_ROWS || this.bytes >= this.limits.BLOCK_MAX_BYTES;
  }

  private start(): void {
    clearTimeout(this.timer);
    const block = this.take();
    this.storing = this.storeAndConfirm(block).finally(() => {
      this.storing = undefined;
      this.next();
    });
    // Whoever drains sees the failure; on the way here storeAndConfirm has reported it already.
    this.storing.catch(() => undefined);
  }

  /** Cuts the next block off the front: as many messages as its limits allow, at least one. */
  private take(): Block {
    let rows = 0;
    let bytes = 0;
    for (const { value } of this.messages) {
      const size = value?.length ?? 0;
      if (rows === this.limits.BLOCK_MAX_ROWS || (rows > 0 && bytes + size > this.limits.BLOCK_MAX_BYTES)) break;
      rows += 1;
      bytes += size;
    }
    const taken = this.messages.slice(0, rows);
    this.messages = this.messages.slice(rows);
    this.bytes -= bytes;
    this.oldestAt = Date.now();
    return createBlock(this.topic, this.partition, taken);
  }
}
