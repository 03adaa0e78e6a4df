import { Logger } from '@nestjs/common';
import { type CompactedRecord, type RecordSink } from '@sluice/kafka';
import { PlanRegistry } from './registry.js';

/**
 * One reading of the topic. It fills a registry of its own until it is complete, so that an old record is never in
 * force. A record that cannot be read changes nothing: no plan of its source is lost, and no message is refused by it.
 */
export class RegistrySink implements RecordSink {
  private readonly logger = new Logger(RegistrySink.name);
  private registry = new PlanRegistry();
  private isCurrent = false;

  /** @param changed called whenever the known registry was replaced or has changed */
  constructor(
    private readonly known: PlanRegistry,
    private readonly changed: () => void,
    private readonly unreadable: () => void,
  ) {}

  take({ key, value }: CompactedRecord): void {
    try {
      this.registry.apply(key, value);
    } catch (error) {
      this.logger.error({ msg: 'a record of the plans is not used', key: key.slice(0, 64), error: firstLine(error) });
      this.unreadable();
      return;
    }
    if (this.isCurrent) this.changed();
  }

  caughtUp(): void {
    this.known.become(this.registry);
    this.registry = this.known;
    this.isCurrent = true;
    this.changed();
  }
}

const firstLine = (error: unknown): string => String(error).split('\n', 1)[0] ?? '';
