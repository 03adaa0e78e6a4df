import { Inject, Injectable } from '@nestjs/common';
import { Gauge, Registry } from '@sluice/service';
import { SourceReader } from '@sluice/sources';

/** Reports how long changes of sources have gone unread; sources disabled or keys revoked in that time still pass. */
@Injectable()
export class SourceStaleness {
  constructor(reader: SourceReader, @Inject(Registry) registry: Registry) {
    new Gauge({
      name: 'sluice_sources_stale_seconds',
      help: 'Time for which changes of sources have not been read, below 1 as a rule; +Inf if never since the start',
      registers: [registry],
      aggregator: 'max',
      collect() {
        this.set(reader.staleSeconds);
      },
    });
  }
}
