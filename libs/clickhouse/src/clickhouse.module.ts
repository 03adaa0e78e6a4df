import { type DynamicModule, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Health, Registry } from '@sluice/service';
import { BlockWriter } from './block-writer.js';
import { createClickHouse } from './client.js';
import { type ClickHouseConfig } from './config.js';
import { InsertMetrics } from './insert-metrics.js';

/** Reports "not ready" while ClickHouse does not answer, and closes the connections at shutdown. */
@Injectable()
class ClickHouseLifecycle implements OnApplicationShutdown {
  constructor(
    private readonly writer: BlockWriter,
    health: Health,
  ) {
    health.ready.set('clickhouse', async () => {
      await this.writer.ping();
      return {};
    });
  }

  onApplicationShutdown(): Promise<void> {
    return this.writer.close();
  }
}

@Module({})
export class ClickHouseModule {
  /** Provides the BlockWriter. */
  static register(config: ClickHouseConfig): DynamicModule {
    return {
      module: ClickHouseModule,
      providers: [
        {
          provide: BlockWriter,
          useFactory: (registry: Registry) =>
            new BlockWriter(createClickHouse(config), config, new InsertMetrics(registry)),
          inject: [Registry],
        },
        ClickHouseLifecycle,
      ],
      exports: [BlockWriter],
    };
  }
}
