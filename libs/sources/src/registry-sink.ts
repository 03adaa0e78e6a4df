import { Logger } from '@nestjs/common';
import { type CompactedRecord, type RecordSink } from '@sluice/kafka';
import { SourceRegistry } from './registry.js';

/**
 * One reading of the topic. It goes into a registry of its own until it is complete: an old record must not bring back,
 * for a moment, a key revoked since. Then that takes the place of what was known.
 */
export class RegistrySink implements RecordSink {
  private readonly logger = new Logger(RegistrySink.name);
  private registry = new SourceRegistry();
  private isCurrent = false;

  /** @param changed called when what is known was replaced, or has changed. */
  constructor(
    private readonly known: SourceRegistry,
    private readonly changed: () => void,
  ) {}

  take({ key, value }: CompactedRecord): void {
    this.registry.apply(key, value);
    if (this.isCurrent) this.changed();
  }

  /** Sources are never removed: a topic without any is a lost one, or that of a wrong cluster. What is known is kept. */
  caughtUp(): void {
    if (this.registry.isEmpty && !this.known.isEmpty) {
      this.logger.error('sources.v1 is empty, though sources are known: they are kept. Is this the right Kafka?');
    } else {
      this.known.become(this.registry);
      this.changed();
    }
    this.registry = this.known;
    this.isCurrent = true;
  }
}
