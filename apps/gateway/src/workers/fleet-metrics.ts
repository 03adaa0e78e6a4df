import { AggregatorRegistry, Registry } from '@sluice/service';
import { type WorkerFleet } from './fleet.js';
import { type Metrics } from './messages.js';
import { type Worker } from './worker.js';

/**
 * Metrics of the primary and of all workers, added up. Counts of a worker that ended stay in the sums: otherwise every
 * counter would seem to be reset, and the totals of the other workers would look like an increase.
 */
export class FleetMetrics extends Registry {
  private readonly last = new Map<Worker, Metrics>();
  private departed: Metrics = [];

  constructor(
    private readonly fleet: Pick<WorkerFleet, 'askEach' | 'has'>,
    private readonly primaryMetrics: Registry,
  ) {
    super();
  }

  /** A worker that does not answer in time counts with its last answer. */
  override async metrics(): Promise<string> {
    for (const [worker, metrics] of await this.fleet.askEach('metrics')) this.last.set(worker, metrics);
    this.addDeparted();
    if (this.last.size === 0 && this.departed.length === 0) return this.primaryMetrics.metrics();
    const { departed } = this;
    const sums = await sumMetrics([departed]).getMetricsAsJSON();
    // Workers may have departed while the sums were made.
    if (this.departed === departed) this.departed = sums;
    const primaryValues = (await this.primaryMetrics.getMetricsAsJSON()) as Metrics;
    this.addDeparted();
    return sumMetrics([...this.last.values(), primaryValues, this.departed]).metrics();
  }

  /** Moves the counts of ended workers, also of those that ended while the others were asked. */
  private addDeparted(): void {
    for (const [worker, metrics] of this.last) {
      if (this.fleet.has(worker)) continue;
      this.last.delete(worker);
      this.departed = [...this.departed, ...metrics.filter(({ type }) => isCount(type))];
    }
  }
}

const sumMetrics = (metrics: Metrics[]): Registry => AggregatorRegistry.aggregate(metrics);

const isCount = (type: unknown): boolean => type === 'counter' || type === 'histogram';
