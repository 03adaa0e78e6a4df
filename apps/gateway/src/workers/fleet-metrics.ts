import { AggregatorRegistry, Registry } from '@sluice/service';
import { type Fleet } from './fleet.js';
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
    private readonly fleet: Fleet,
    private readonly own: Registry,
  ) {
    super();
    fleet.onEnded = (worker) => {
      const counted = (this.last.get(worker) ?? []).filter(({ type }) => isCount(type));
      this.last.delete(worker);
      this.departed.push(...counted);
    };
  }

  /** A worker that does not answer in time counts with its last answer. */
  override async metrics(): Promise<string> {
    for (const [worker, metrics] of await this.fleet.askEach('metrics')) this.last.set(worker, metrics);
    if (this.last.size === 0 && this.departed.length === 0) return this.own.metrics();
    this.departed = await added([this.departed]).getMetricsAsJSON();
    const own = (await this.own.getMetricsAsJSON()) as Metrics;
    return added([...this.last.values(), own, this.departed]).metrics();
  }
}

const added = (metrics: Metrics[]): Registry => AggregatorRegistry.aggregate(metrics);

const isCount = (type: unknown): boolean => type === 'counter' || type === 'histogram';
