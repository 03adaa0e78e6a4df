import { Logger } from '@nestjs/common';
import { type CompactedRecord } from './compacted-record.js';
import { type RecordSnapshot } from './record-snapshot.js';

const pauseMs = 250;
const retryMs = 30_000;
/** Pause for each record of the last write, so that writing takes a small share of the time. */
const pausePerRecordMs = 0.1;

/** Writes the snapshot shortly after each change, one write at a time. Changes in quick succession share one write. */
export class SnapshotWriter {
  private readonly logger = new Logger(SnapshotWriter.name);
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  /** Records of the last write. */
  private recordCount = 0;

  constructor(
    private readonly snapshot: RecordSnapshot,
    private readonly records: () => Iterable<CompactedRecord>,
  ) {}

  changed(): void {
    this.schedule(Math.max(pauseMs, this.recordCount * pausePerRecordMs));
  }

  /** Writes pending changes. */
  async stop(): Promise<void> {
    if (this.timer) this.write();
    await this.writing;
    clearTimeout(this.timer);
  }

  private schedule(delayMs: number): void {
    this.timer ??= setTimeout(() => this.write(), delayMs);
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing
      .then(async () => {
        this.recordCount = await this.snapshot.write(this.records());
      })
      .catch((error: unknown) => {
        this.logger.warn({ msg: 'a snapshot could not be written', name: this.snapshot.name, error: String(error) });
        this.schedule(retryMs);
      });
  }
}
