import { BoundedLabel, Counter, Gauge, type Registry } from '@sluice/service';
import { reportFollowsSuppressions } from './follows-suppressions.js';
import { type SuppressionReader } from './reader.js';

/** Upper bound of sources with counts of their own; later sources share one count. */
const maxSources = 2_000;

/** Metrics of the suppressions that a process follows. They never name an id. */
export class PrivacyMetrics {
  private readonly suppressed: Counter<'source'>;
  private readonly sources = new BoundedLabel(maxSources);

  constructor(reader: SuppressionReader, registry: Registry) {
    const registers = [registry];
    reportFollowsSuppressions(true, registry);
    this.suppressed = new Counter({
      name: 'sluice_privacy_suppressed_messages_total',
      help: 'Messages of suppressed people that were dropped, by source',
      labelNames: ['source'],
      registers,
    });
    new Gauge({
      name: 'sluice_privacy_registry_offset',
      help: 'Offset of the newest record of suppressions.v1 that is in force, -1 before the topic was read; of several workers, the lowest',
      registers,
      aggregator: 'min',
      collect() {
        this.set(Number(reader.offset));
      },
    });
    new Gauge({
      name: 'sluice_privacy_unreadable_records',
      help: 'Records of suppressions.v1 that cannot be used, for lack of their key as a rule: their people are not suppressed here',
      registers,
      aggregator: 'max',
      collect() {
        this.set(reader.registry.unusableRecords);
      },
    });
    new Gauge({
      name: 'sluice_privacy_suppressed_ids',
      help: 'Suppressed ids that are known here',
      registers,
      aggregator: 'max',
      collect() {
        this.set(reader.registry.size);
      },
    });
    new Gauge({
      name: 'sluice_privacy_registry_stale_seconds',
      help: 'Time for which changes of suppressions have not been read, below 1 as a rule; +Inf if never since the start',
      registers,
      aggregator: 'max',
      collect() {
        this.set(reader.staleSeconds);
      },
    });
  }

  countDropped(source: string, messages = 1): void {
    this.suppressed.inc({ source: this.sources.labelFor(source) }, messages);
  }
}
