import { Inject, Injectable } from '@nestjs/common';
import { Counter, Registry } from '@sluice/service';

/** Upper bound of sources with counts of their own; later sources share one count. */
const maxSources = 2_000;
const others = 'other';

interface Counts {
  messages: number;
  withoutConsent: number;
  readonly refused: Map<string, number>;
}

/** Counts by source in plain numbers, which are read at each scrape. */
@Injectable()
export class SourceMetrics {
  private readonly bySource = new Map<string, Counts>();

  constructor(@Inject(Registry) registry: Registry) {
    const counts = this.bySource;
    const registers = [registry];
    new Counter({
      name: 'sluice_gateway_source_messages_total',
      help: 'Messages that were taken, by source',
      labelNames: ['source'],
      registers,
      collect() {
        this.reset();
        for (const [source, { messages }] of counts) this.inc({ source }, messages);
      },
    });
    new Counter({
      name: 'sluice_gateway_source_without_consent_total',
      help: 'Messages that were not stored, because they do not grant the consent that their source requires, by source',
      labelNames: ['source'],
      registers,
      collect() {
        this.reset();
        for (const [source, { withoutConsent }] of counts) if (withoutConsent > 0) this.inc({ source }, withoutConsent);
      },
    });
    new Counter({
      name: 'sluice_gateway_source_refused_total',
      help: 'Requests that were refused, by source and reason; only of requests with a valid key, without `?validate=only`',
      labelNames: ['source', 'reason'],
      registers,
      collect() {
        this.reset();
        for (const [source, { refused }] of counts)
          for (const [reason, requests] of refused) this.inc({ source, reason }, requests);
      },
    });
  }

  taken(source: string, messages: number): void {
    this.of(source).messages += messages;
  }

  withoutConsent(source: string, messages: number): void {
    if (messages > 0) this.of(source).withoutConsent += messages;
  }

  /** @param reason the code of the error, or invalid_fields */
  refused(source: string, reason: string): void {
    const { refused } = this.of(source);
    refused.set(reason, (refused.get(reason) ?? 0) + 1);
  }

  private of(source: string): Counts {
    const known = this.bySource.get(source);
    if (known) return known;
    if (this.bySource.size >= maxSources && source !== others) return this.of(others);
    const fresh: Counts = { messages: 0, withoutConsent: 0, refused: new Map() };
    this.bySource.set(source, fresh);
    return fresh;
  }
}
