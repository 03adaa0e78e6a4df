import { Logger } from '@nestjs/common';
import { type CompactedRecord, type RecordSink } from '@sluice/kafka';
import { SourceRegistry } from './registry.js';

/**
 * One reading of the topic. It fills a registry of its own until it is complete, so that an old record cannot bring
 * back a revoked key for a moment. The new registry then replaces the known one.
 */
export class RegistrySink implements RecordSink {
  private readonly logger = new Logger(RegistrySink.name);
  private registry = new SourceRegistry();
  private isCurrent = false;

  /** @param changed called whenever the known registry was replaced or has changed */
  constructor(
    private readonly known: SourceRegistry,
    private readonly changed: () => void,
  ) {}

  take({ key, value }: CompactedRecord): void {
    this.registry.apply(key, value);
    if (this.isCurrent) this.changed();
  }

  /** Keeps the known sources if the topic is empty: sources are never removed, so the topic or the cluster is wrong. */
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
