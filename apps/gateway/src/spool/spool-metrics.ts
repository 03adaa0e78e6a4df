import { Inject, Injectable } from '@nestjs/common';
import { Gauge, Registry } from '@sluice/service';
import { Outbox, type OutboxState } from './outbox.js';

/** Name, help with its unit, and where the value comes from. */
const gauges: readonly [string, string, (state: OutboxState) => number][] = [
  ['spool_messages', 'Messages that wait on the disk for Kafka', ({ rows }) => rows],
  ['spool_used_bytes', 'Disk space that they take, in bytes', ({ bytes }) => bytes],
  [
    'spool_oldest_age_seconds',
    'How long the oldest of them waits, in seconds',
    ({ oldestAgeSeconds }) => oldestAgeSeconds,
  ],
  ['spool_drained_messages_per_second', 'Messages a second that go from the disk to Kafka', (s) => s.drainedPerSecond],
  [
    'spool_breaker_open',
    '1 while requests go to the disk, 0 while they go to Kafka',
    (s) => Number(s.breaker === 'open'),
  ],
  [
    'spool_refusing',
    '1 while nothing can be made durable and requests are answered 503',
    (s) => Number(s.refusal !== undefined),
  ],
  [
    'spool_refused_messages',
    'Messages that Kafka refused for good since the start; they are in the refused file',
    ({ refused }) => refused,
  ],
  [
    'spool_damaged_messages',
    'Messages or files that the disk damaged, found since the start',
    ({ damaged }) => damaged,
  ],
];

/** What Prometheus sees of the spool; asked for at each scrape. */
@Injectable()
export class SpoolMetrics {
  constructor(outbox: Outbox, @Inject(Registry) registry: Registry) {
    for (const [name, help, valueOf] of gauges) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(valueOf(outbox.state));
        },
      });
    }
  }
}
