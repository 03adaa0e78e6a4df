import { renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makePrivate } from './private-folder.js';
import { type QueueDamage } from './queue.js';
import { type Refused, RefusedCount } from './refused-count.js';
import { type SpooledMessage } from './spooled-message.js';
import { writeSynced } from './write-synced.js';

/**
 * Messages that were accepted and that no retry can bring into Kafka, one JSON object a line, a file a day and
 * process: `{"refusedAt","reason","error","acceptedAt","topic","key","headers","value"}`, a value that is not text as
 * base64 in `valueBase64`. A message may be in it twice when the process died between the two steps of moving it here.
 */
export class RefusedFile {
  private readonly count: RefusedCount;
  /** Counts at the last look, of this and of other processes. */
  counted: Refused = { refused: 0, damaged: 0 };

  constructor(
    private readonly folder: string,
    private readonly process: string,
  ) {
    this.count = new RefusedCount(folder);
  }

  /** A folder that cannot be read is no reason to refuse messages: the count stays what it was. */
  look(): void {
    try {
      this.counted = this.count.look();
    } catch {
      // The next look may be able to.
    }
  }

  /** The lines are on the disk when this returns, all of them or, when it throws, none. */
  append(messages: readonly SpooledMessage[], error: string): void {
    const refusedAt = new Date().toISOString();
    const lines = messages.map(({ at, topic, key, headers, value }) => {
      const content = typeof value === 'string' ? { value } : { valueBase64: Buffer.from(value).toString('base64') };
      const acceptedAt = new Date(at).toISOString();
      return `${JSON.stringify({ refusedAt, reason: 'refused by Kafka', error, acceptedAt, topic, key, headers, ...content })}\n`;
    });
    makePrivate(this.folder);
    const name = `refused-${refusedAt.slice(0, 10)}-${this.process}.ndjson`;
    writeSynced(join(this.folder, name), lines.join(''), 'a');
    this.look();
  }

  /**
   * Keeps the bytes that the disk has instead of messages, in a file whose name has their number, their queue and the
   * place of the first. Idempotent.
   */
  keepDamage(queue: string, { first, last, read }: QueueDamage): void {
    makePrivate(this.folder);
    writeSynced(join(this.folder, `damaged-${last - first + 1}-${basename(queue)}-${first}.bin`), read(), 'w');
    this.look();
  }

  /** Puts a spool that SQLite cannot read beside the refused messages, with its log. */
  setAside(path: string): void {
    makePrivate(this.folder);
    const name = `${new Date().toISOString().replaceAll(':', '')}-${basename(path)}`;
    for (const suffix of ['', '-wal']) {
      try {
        renameSync(`${path}${suffix}`, join(this.folder, `${name}${suffix}`));
      } catch {
        // There need not be a log.
      }
    }
    this.look();
  }
}
