import { Inject, Injectable } from '@nestjs/common';
import { canarySource } from '@sluice/contracts';
import { Counter, Registry } from '@sluice/service';

/** Upper bound of sources with counts of their own; later sources share one count. */
const maxSources = 2_000;
const otherLabel = 'other';

interface Counts {
  messages: number;
  withoutConsent: number;
  readonly refused: Map<string, number>;
}

/** Counts by source in plain numbers, which are read at each scrape. The canary has metrics of its own. */
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

  countTaken(source: string, messages: number): void {
    if (source !== canarySource) this.countsFor(source).messages += messages;
  }

  countWithoutConsent(source: string, messages: number): void {
    if (messages > 0) this.countsFor(source).withoutConsent += messages;
  }

  /** @param reason the code of the error, or invalid_fields */
  countRefused(source: string, reason: string): void {
    if (source === canarySource) return;
    const { refused } = this.countsFor(source);
    refused.set(reason, (refused.get(reason) ?? 0) + 1);
  }

  private countsFor(source: string): Counts {
    const existing = this.bySource.get(source);
    if (existing) return existing;
    if (this.bySource.size >= maxSources && source !== otherLabel) return this.countsFor(otherLabel);
    const newCounts: Counts = { messages: 0, withoutConsent: 0, refused: new Map() };
    this.bySource.set(source, newCounts);
    return newCounts;
  }
}
