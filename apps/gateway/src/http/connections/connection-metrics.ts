import { Inject, Injectable, Logger } from '@nestjs/common';
import { Counter, Registry } from '@sluice/service';
import { type Closed } from './strangers.js';

const logEveryMs = 10_000;

/** Counts and logs the connections that were closed to make room for others. */
@Injectable()
export class ConnectionMetrics {
  private readonly logger = new Logger(ConnectionMetrics.name);
  private readonly closedConnections: Counter<'which'>;
  /** Connections closed since the last line of the log. */
  private readonly unlogged: Record<Closed, number> = { stranger: 0, known: 0, newcomer: 0 };
  private timer: NodeJS.Timeout | undefined;

  constructor(@Inject(Registry) registry: Registry) {
    this.closedConnections = new Counter({
      name: 'sluice_gateway_connections_closed_total',
      help: 'Connections closed because there were too many: an idle one without a valid key (stranger), an idle one with a key (known), or the new one (newcomer)',
      labelNames: ['which'],
      registers: [registry],
    });
  }

  closed(which: Closed): void {
    this.closedConnections.inc({ which });
    this.unlogged[which] += 1;
    // The first line waits too, so that it has the number of connections.
    this.timer ??= setTimeout(() => this.log(), logEveryMs).unref();
  }

  private log(): void {
    this.timer = undefined;
    this.logger.warn({ msg: 'there are too many connections: some were closed', ...this.unlogged });
    Object.assign(this.unlogged, { stranger: 0, known: 0, newcomer: 0 });
  }
}
