import { type DynamicModule, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { errorCode, Health, Registry } from '@sluice/service';
import { BrokenParts } from './write/broken-parts.js';
import { BlockWriter } from './write/block-writer.js';
import { ShardedWriter } from './write/sharded-writer.js';
import { type Answers, TableWriter } from './write/table-writer.js';
import { createClickHouse } from './connection/client.js';
import { type ClickHouseConfig } from './connection/config.js';
import { InsertMetrics } from './write/insert-metrics.js';

/** Less than a health check may take. */
const answerLimitMs = 1_000;

/**
 * Shows in the health details whether ClickHouse answers, counts broken parts, and closes the connections at shutdown.
 * A consumer whose ClickHouse is down stays ready: it serves no requests, and its node can be drained.
 */
@Injectable()
class ClickHouseLifecycle implements OnApplicationShutdown {
  private readonly brokenParts: BrokenParts;

  constructor(
    private readonly writer: TableWriter,
    health: Health,
    registry: Registry,
  ) {
    this.brokenParts = new BrokenParts(registry, writer);
    this.brokenParts.start();
    health.ready.set('clickhouse', async () => {
      const limit = AbortSignal.timeout(answerLimitMs);
      try {
        return describeAnswers(await this.writer.answers(limit), limit.aborted);
      } catch (error) {
        return { answers: false, reason: limit.aborted ? 'no_answer' : errorCode(error) };
      }
    });
  }

  onApplicationShutdown(): Promise<void> {
    this.brokenParts.stop();
    return this.writer.close();
  }
}

function createWriter(config: ClickHouseConfig, metrics: InsertMetrics): TableWriter {
  const { CLICKHOUSE_SHARDS } = config;
  return CLICKHOUSE_SHARDS
    ? new ShardedWriter(config, CLICKHOUSE_SHARDS, metrics)
    : new BlockWriter(createClickHouse(config), config, metrics);
}

/** Names the servers that do not answer, and why. */
function describeAnswers(answers: Answers, isLate: boolean): Record<string, unknown> {
  const describeError = (error: unknown): string => (isLate ? 'no_answer' : errorCode(error));
  const silent = [...answers].filter(([, error]) => error !== null);
  if (silent.length === 0) return { answers: true };
  const reasons = silent.map(([shard, error]) =>
    shard === '' ? describeError(error) : `${shard} ${describeError(error)}`,
  );
  return { answers: false, reason: reasons.join(', ') };
}

@Module({})
export class ClickHouseModule {
  /** Provides the TableWriter. */
  static register(config: ClickHouseConfig): DynamicModule {
    return {
      module: ClickHouseModule,
      providers: [
        {
          provide: TableWriter,
          useFactory: (registry: Registry) => createWriter(config, new InsertMetrics(registry)),
          inject: [Registry],
        },
        ClickHouseLifecycle,
      ],
      exports: [TableWriter],
    };
  }
}
