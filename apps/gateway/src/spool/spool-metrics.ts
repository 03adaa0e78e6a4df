import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from '@sluice/service';
import { Outbox, type OutboxState } from './outbox.js';

/** Name, help with the unit, and value of each gauge. */
const gauges: readonly [string, string, (state: OutboxState) => number][] = [
  ['sluice_spool_messages', 'Messages that wait on the disk for Kafka', ({ rows }) => rows],
  ['sluice_spool_bytes', 'Disk space of the waiting messages, in bytes', ({ bytes }) => bytes],
  ['sluice_spool_limit_bytes', 'Disk space at which the spool is full, in bytes', ({ limitBytes }) => limitBytes],
  [
    'sluice_spool_oldest_age_seconds',
    'Time that the oldest message waits, in seconds',
    ({ oldestAgeSeconds }) => oldestAgeSeconds,
  ],
  [
    'sluice_spool_drained_messages_per_second',
    'Messages a second that go from the disk to Kafka',
    (s) => s.drainedPerSecond,
  ],
  [
    'sluice_spool_breaker_open',
    '1 while requests go to the disk, 0 while they go to Kafka',
    (s) => Number(s.breaker === 'open'),
  ],
  [
    'sluice_spool_refusing',
    '1 while nothing can be made durable and requests are answered 503',
    (s) => Number(s.unavailableReason !== undefined),
  ],
  [
    'sluice_spool_unusable',
    '1 while the disk takes no messages, also while Kafka is available',
    (s) => Number(s.diskFailure !== undefined),
  ],
  [
    'sluice_spool_refused_messages',
    'Messages that Kafka refused for good and that lie in the folder of refused messages',
    ({ refused }) => refused,
  ],
  [
    'sluice_spool_damaged_messages',
    'Messages that the disk damaged or lost, of which the folder of refused messages keeps what is left, and queues that cannot be opened',
    ({ damaged }) => damaged,
  ],
];

/**
 * Gauges that must not be added over workers: the oldest message belongs to one worker, and all share a refused folder.
 */
const isOfAllWorkers = /_(?:age_seconds|refused_messages|damaged_messages)$/;

/** Exports the state of the spool, read at each scrape. */
@Injectable()
export class SpoolMetrics {
  constructor(outbox: Outbox, @Inject(Registry) registry: Registry) {
    new Counter({
      name: 'sluice_spool_source_refused_total',
      help: 'Requests that were refused because their source held its part of the spool, by source',
      labelNames: ['source'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [source, requests] of outbox.refusedBySource) this.inc({ source }, requests);
      },
    });
    for (const [name, help, valueOf] of gauges) {
      new Gauge({
        name,
        help,
        registers: [registry],
        aggregator: isOfAllWorkers.test(name) ? 'max' : 'sum',
        collect() {
          this.set(valueOf(outbox.state));
        },
      });
    }
  }
}
