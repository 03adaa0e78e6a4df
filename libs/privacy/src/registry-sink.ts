import { Logger } from '@nestjs/common';
import { type CompactedRecord, type RecordSink } from '@sluice/kafka';
import { type SuppressionRegistry } from './registry.js';

/** One reading of the topic. It fills a registry of its own until that is complete: no suppression lapses before. */
export class RegistrySink implements RecordSink {
  private readonly logger = new Logger(RegistrySink.name);
  private isCurrent = false;

  /**
   * @param registry an empty one to fill
   * @param changed called whenever the known registry was replaced or has changed, with the offset of its newest record
   */
  constructor(
    private readonly known: SuppressionRegistry,
    private registry: SuppressionRegistry,
    private readonly changed: (offset: bigint) => void,
  ) {}

  take({ key, value }: CompactedRecord, offset: bigint): void {
    this.registry.apply(key, value);
    if (this.isCurrent) this.changed(offset);
  }

  /** Keeps what is known if the topic is empty: compaction keeps its newest record, so it is the wrong topic. */
  caughtUp(newest: bigint): void {
    if (newest < 0n && !this.known.isEmpty) {
      this.logger.error(
        'suppressions.v1 is empty, though suppressions are known: they are kept. Is this the right Kafka?',
      );
    } else {
      this.known.become(this.registry);
    }
    this.registry = this.known;
    this.isCurrent = true;
    this.changed(newest);
  }
}
