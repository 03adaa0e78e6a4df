import { basename, join } from 'node:path';
import { makePrivate } from './private-folder.js';
import { type QueueDamage } from './queue-batch.js';
import { type Refused, RefusedFileCount } from './refused-count.js';
import { type SpooledMessage } from './spooled-message.js';
import { writeSynced } from './write-synced.js';

/**
 * Accepted messages that no retry can bring into Kafka. There is one file for each day and process, with one JSON
 * object per line: `{"refusedAt","reason","error","acceptedAt","topic","key","headers","value"}`. A value that is not
 * text is in `valueBase64` as base64. A message may be present twice when a process died while it moved the message
 * here.
 */
export class RefusedFile {
  private readonly count: RefusedFileCount;
  /** Counts at the last look, of this and of other processes. */
  counted: Refused = { refused: 0, damaged: 0 };

  constructor(
    private readonly folder: string,
    private readonly process: string,
  ) {
    this.count = new RefusedFileCount(folder);
  }

  /** Counts again. Never throws: the count stays the same while the folder cannot be read. */
  look(): void {
    try {
      this.counted = this.count.look();
    } catch {
      // The next look tries again.
    }
  }

  /** All lines are on the disk when this returns; none is when it throws. */
  append(messages: readonly SpooledMessage[], error: string): void {
    const refusedAt = new Date().toISOString();
    const lines = messages.map(({ acceptedAt: acceptedMs, topic, key, headers, value }) => {
      const content = typeof value === 'string' ? { value } : { valueBase64: Buffer.from(value).toString('base64') };
      const acceptedAt = new Date(acceptedMs).toISOString();
      return `${JSON.stringify({ refusedAt, reason: 'refused by Kafka', error, acceptedAt, topic, key, headers, ...content })}\n`;
    });
    makePrivate(this.folder);
    const name = `refused-${refusedAt.slice(0, 10)}-${this.process}.ndjson`;
    writeSynced(join(this.folder, name), lines.join(''), 'a');
    this.look();
  }

  /**
   * Keeps the bytes that the disk has instead of messages. The name of the file has the number of messages, their queue
   * and the place of the first. Idempotent.
   */
  keepDamage(queue: string, { first, last, read }: QueueDamage): void {
    makePrivate(this.folder);
    writeSynced(join(this.folder, `damaged-${last - first + 1}-${basename(queue)}-${first}.bin`), read(), 'w');
    this.look();
  }
}
