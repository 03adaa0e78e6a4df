import { type CompactedRecord, type RecordSink } from './compacted-record.js';

/** The target of the records of a compacted topic. */
export interface RecordRegistry {
  readonly isEmpty: boolean;
  /** @throws Error and changes nothing for a record that cannot be read */
  apply(key: string, value: Buffer | null): void;
  /** Takes over the content of another registry of its kind; both share it from then on. */
  become(replacement: this): void;
  /** Records that rebuild the registry. */
  records(): Iterable<CompactedRecord>;
}

interface SinkHandlers {
  /** Called whenever the current registry was replaced or has changed, with the offset of its newest record, or -1. */
  readonly onChange: (offset: bigint) => void;
  /** Called instead when nothing was read, although something is known. */
  readonly onKept: (offset: bigint) => void;
  readonly onUnreadable: (record: CompactedRecord, error: unknown) => void;
}

/**
 * One reading of a topic. It fills a registry of its own until it is complete, so that no old record is in force for a
 * moment; then it replaces the current one. A record that cannot be read, perhaps of a later version, is skipped: the
 * others stay usable. Compaction keeps the newest record of a topic, so one without a usable record is the wrong one:
 * what is known is kept.
 */
export class RegistrySink<Registry extends RecordRegistry> implements RecordSink {
  private isUsable = false;
  private isCurrent = false;

  /** @param replacement an empty registry to fill */
  constructor(
    private readonly current: Registry,
    private readonly replacement: Registry,
    private readonly handlers: SinkHandlers,
  ) {}

  take(record: CompactedRecord, offset: bigint): void {
    try {
      (this.isCurrent ? this.current : this.replacement).apply(record.key, record.value);
    } catch (error) {
      this.handlers.onUnreadable(record, error);
      return;
    }
    this.isUsable = true;
    if (this.isCurrent) this.handlers.onChange(offset);
  }

  caughtUp(newest: bigint): void {
    this.isCurrent = true;
    if (!this.isUsable && !this.current.isEmpty) {
      this.handlers.onKept(newest);
      return;
    }
    this.current.become(this.replacement);
    this.handlers.onChange(newest);
  }
}
