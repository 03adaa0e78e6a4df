import { type DynamicModule, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { codeOf, Health, Registry } from '@sluice/service';
import { BlockWriter } from './block-writer.js';
import { createClickHouse } from './client.js';
import { type ClickHouseConfig } from './config.js';
import { InsertMetrics } from './insert-metrics.js';

/** Less than a health check may take. */
const answerLimitMs = 1_000;

/**
 * Shows in the health details whether ClickHouse answers, and closes the connections at shutdown. A consumer whose
 * ClickHouse is away stays ready: nobody sends it anything, and its node can be drained.
 */
@Injectable()
class ClickHouseLifecycle implements OnApplicationShutdown {
  constructor(
    private readonly writer: BlockWriter,
    health: Health,
  ) {
    health.ready.set('clickhouse', async () => {
      const limit = AbortSignal.timeout(answerLimitMs);
      try {
        await this.writer.ping(limit);
        return { answers: true };
      } catch (error) {
        return { answers: false, reason: limit.aborted ? 'no_answer' : codeOf(error) };
      }
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
