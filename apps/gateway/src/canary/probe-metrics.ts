import { Counter, type Registry } from '@sluice/service';
import { type ProbeOutcome, probeOutcomes } from './canary-series.js';

/** Metrics of the probes that this gateway has sent. The metrics of `tracking` say whether they were stored. */
export class ProbeMetrics {
  private readonly probes: Counter<'outcome'>;

  constructor(registry: Registry) {
    this.probes = new Counter({
      name: 'sluice_canary_probes_total',
      help: 'Probes that this gateway has sent to itself, by answer: accepted, refused, in_doubt',
      labelNames: ['outcome'],
      registers: [registry],
    });
    for (const outcome of probeOutcomes) this.probes.inc({ outcome }, 0);
  }

  count(outcome: ProbeOutcome): void {
    this.probes.inc({ outcome });
  }
}
