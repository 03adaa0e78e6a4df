import { Inject, Injectable } from '@nestjs/common';
import { PlanReader } from '@sluice/plans';
import { BoundedLabel, Counter, Gauge, Registry } from '@sluice/service';

/** Upper bound of sources with counts of their own; later sources share one count. */
const maxSources = 2_000;

/** Metrics of tracking plans. */
@Injectable()
export class PlanMetrics {
  private readonly violating: Counter<'source' | 'mode'>;
  private readonly candidates: Counter<'source'>;
  private readonly kept: Counter<'reason'>;
  private readonly sources = new BoundedLabel(maxSources);

  constructor(reader: PlanReader, @Inject(Registry) registry: Registry) {
    const registers = [registry];
    this.violating = new Counter({
      name: 'sluice_gateway_plan_violations_total',
      help: 'Messages that violate the tracking plan of their source, by source and by what was done with them: observe, drop or refuse',
      labelNames: ['source', 'mode'],
      registers,
    });
    this.candidates = new Counter({
      name: 'sluice_gateway_plan_candidate_violations_total',
      help: 'Messages that violate the candidate plan of their source, which is only observed, by source',
      labelNames: ['source'],
      registers,
    });
    this.kept = new Counter({
      name: 'sluice_gateway_refused_messages_total',
      help: 'Refused messages that were kept whole in tracking.refused.v1, by reason',
      labelNames: ['reason'],
      registers,
    });
    new Gauge({
      name: 'sluice_gateway_plans_stale_seconds',
      help: 'Time for which changes of tracking plans have not been read, below 1 as a rule; +Inf if never since the start',
      registers,
      aggregator: 'max',
      collect() {
        this.set(reader.staleSeconds);
      },
    });
  }

  violates(source: string, mode: string): void {
    this.violating.inc({ source: this.sources.labelFor(source), mode });
  }

  violatesCandidate(source: string): void {
    this.candidates.inc({ source: this.sources.labelFor(source) });
  }

  keptWhole(reason: string, messages: number): void {
    this.kept.inc({ reason }, messages);
  }
}

/** Counts failures of plans: records that cannot be read, and messages that pass because their plan failed. */
export class PlanFailures {
  private readonly records: Counter;
  private readonly judgements: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.records = new Counter({
      name: 'sluice_gateway_plan_unreadable_records_total',
      help: 'Records of plans.v1 that could not be read; they change nothing',
      registers,
    });
    this.judgements = new Counter({
      name: 'sluice_gateway_plan_errors_total',
      help: 'Messages that passed because an error kept their plan from judging them',
      registers,
    });
  }

  unreadableRecord(): void {
    this.records.inc();
  }

  failedJudgement(): void {
    this.judgements.inc();
  }
}
