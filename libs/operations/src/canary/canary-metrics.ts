import { Gauge, type Registry } from '@sluice/service';
import { type CanaryNumbers } from './canary-reader.js';

/** Metrics of what became of the probes. All processes that judge export the same numbers. */
export class CanaryMetrics {
  private readonly judged: Gauge;
  private readonly faults: Gauge<'kind'>;
  private readonly recentFaults: Gauge<'kind'>;
  private readonly p99: Gauge;
  private readonly lastCall: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.judged = new Gauge({
      name: 'sluice_canary_judged',
      help: 'Probes of all gateways that were answered 200 and judged, since the first one',
      registers,
    });
    this.faults = new Gauge({
      name: 'sluice_canary_faults',
      help: 'Probes since the first one that were lost or doubled, by kind',
      labelNames: ['kind'],
      registers,
    });
    this.recentFaults = new Gauge({
      name: 'sluice_canary_recent_faults',
      help: 'Probes that were found lost or doubled in the last day, by kind',
      labelNames: ['kind'],
      registers,
    });
    this.p99 = new Gauge({
      name: 'sluice_canary_p99_seconds',
      help: 'Time from call to row that 99 % of all probes took at most, in seconds; 0 without a probe',
      registers,
    });
    this.lastCall = new Gauge({
      name: 'sluice_canary_last_call_timestamp_seconds',
      help: 'Call of the last probe that was judged, in seconds since 1970; 0 before the first one',
      registers,
    });
  }

  set({ probes, lost, doubled, lostLately, doubledLately, p99Ms, judgedUntil }: CanaryNumbers): void {
    this.judged.set(probes);
    this.faults.set({ kind: 'lost' }, lost);
    this.faults.set({ kind: 'doubled' }, doubled);
    this.recentFaults.set({ kind: 'lost' }, lostLately);
    this.recentFaults.set({ kind: 'doubled' }, doubledLately);
    this.p99.set((p99Ms ?? 0) / 1_000);
    this.lastCall.set(judgedUntil === null ? 0 : Date.parse(judgedUntil) / 1_000);
  }
}
