import { Histogram, type Registry } from '@sluice/service';
import { durationBuckets, type RouteCounts } from './route-counts.js';

const name = 'sluice_gateway_request_duration_seconds';
const help = 'Time from the headers of a request to the end of its answer, by route';

/** A histogram whose numbers are kept in `RouteCounts`. */
export class DurationHistogram extends Histogram<'method' | 'route'> {
  constructor(
    registry: Registry,
    private readonly counts: () => Iterable<RouteCounts>,
  ) {
    super({
      name,
      help,
      labelNames: ['method', 'route'],
      buckets: durationBuckets,
      registers: [registry],
    });
  }

  /** prom-client reads every metric through this method, which its types lack. */
  getForPromString() {
    return { name, help, type: 'histogram', aggregator: 'sum', values: [...this.counts()].flatMap(listValues) };
  }
}

function listValues({ method, route, buckets, seconds }: RouteCounts) {
  let count = 0;
  const sharedLabels = { method, route };
  const bucketValues = buckets.map((inBucket, i) => {
    count += inBucket;
    return { value: count, metricName: `${name}_bucket`, labels: { le: durationBuckets[i] ?? '+Inf' }, sharedLabels };
  });
  return [
    ...bucketValues,
    { value: seconds, metricName: `${name}_sum`, labels: {}, sharedLabels },
    { value: count, metricName: `${name}_count`, labels: {}, sharedLabels },
  ];
}
