import { Inject, Injectable } from '@nestjs/common';
import { BoundedLabel, Counter, Registry } from '@sluice/service';

/** Upper bound of the label values. There are about ten reasons, none with a client's words in it. */
const maxReasons = 40;

/** Counts dropped values and rejected items of taken requests. */
@Injectable()
export class IntakeMetrics {
  private readonly values: Counter<'reason'>;
  private readonly items: Counter;
  private readonly reasons = new BoundedLabel(maxReasons);

  constructor(@Inject(Registry) registry: Registry) {
    const registers = [registry];
    this.values = new Counter({
      name: 'sluice_gateway_dropped_values_total',
      help: 'Values and unknown fields that were left out of messages that were taken, by reason',
      labelNames: ['reason'],
      registers,
    });
    this.items = new Counter({
      name: 'sluice_gateway_rejected_items_total',
      help: 'Refused items of batches whose other items were taken (Prefer: handling=lenient)',
      registers,
    });
  }

  /** @param counts number of dropped values, by reason */
  countDropped(counts: ReadonlyMap<string, number>): void {
    for (const [message, count] of counts) this.values.inc({ reason: this.reasons.labelFor(message) }, count);
  }

  countRejected(count: number): void {
    if (count > 0) this.items.inc(count);
  }
}
