import { allTopics, writtenContracts } from '@sluice/contracts';
import { BoundedLabel, errorCode, Counter, Gauge, Histogram, type Registry } from '@sluice/service';

const maxCodes = 40;

/** Metrics of the sends to Kafka. One send holds the messages of many requests. */
export class PublishMetrics {
  private readonly codes = new BoundedLabel(maxCodes);
  private readonly took: Histogram;
  private readonly published: Counter;
  private readonly failures: Counter<'code'>;

  /** Number of messages that wait for their send or its acknowledgement. */
  inFlight: () => number = () => 0;

  constructor(registry: Registry) {
    const registers = [registry];
    this.took = new Histogram({
      name: 'sluice_publisher_send_duration_seconds',
      help: 'Duration of a send to Kafka until its acknowledgement or failure',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    });
    this.published = new Counter({
      name: 'sluice_publisher_messages_total',
      help: 'Messages of sends that Kafka acknowledged',
      registers,
    });
    this.failures = new Counter({
      name: 'sluice_publisher_failures_total',
      help: 'Sends that Kafka did not acknowledge, and requests that found no room (no_room), by the code of the failure',
      labelNames: ['code'],
      registers,
    });
    const contracts = new Gauge({
      name: 'sluice_publisher_contract_info',
      help: 'Always 1, for each contract of which this process writes messages; operator wait-for reads it',
      labelNames: ['topic', 'contract'],
      registers,
      aggregator: 'max',
    });
    for (const topic of allTopics)
      for (const contract of writtenContracts(topic)) contracts.set({ topic: topic.name, contract }, 1);
    const inFlight = new Gauge({
      name: 'sluice_publisher_messages_in_flight',
      help: 'Messages that wait for their send or its acknowledgement',
      registers,
      collect: (): void => inFlight.set(this.inFlight()),
    });
  }

  sent(messages: number, tookMs: number): void {
    this.took.observe(tookMs / 1_000);
    this.published.inc(messages);
  }

  failed(error: unknown, tookMs: number): void {
    this.took.observe(tookMs / 1_000);
    this.failures.inc({ code: this.codes.labelFor(errorCode(error)) });
  }

  noRoom(): void {
    this.failures.inc({ code: 'no_room' });
  }
}
