import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type ClickHouseConfig } from '@sluice/clickhouse';
import { CanaryJudge, CanaryMetrics, makeSelectRows, readCanaryNumbers, type SelectRows } from '@sluice/operations';
import { type Registry } from '@sluice/service';
import { RepeatedLook } from '../repeated-look.js';

const maxLookIntervalMs = 60_000;
const minLookIntervalMs = 500;

/** Judges the canary next to the consumer, so that no block waits for it: docs/decisions/0114-canary.md. */
@Injectable()
export class CanaryKeeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly judge: CanaryJudge;
  private readonly metrics: CanaryMetrics;
  private readonly select: SelectRows;
  private readonly lookIntervalMs: number;
  private readonly looks = new RepeatedLook(
    () => this.judgeAndReport(),
    new Logger(CanaryKeeper.name),
    'the canary is not judged for now',
  );

  constructor(config: ClickHouseConfig & { CANARY_SETTLED_MS: number }, registry: Registry) {
    this.judge = new CanaryJudge(config, config.CANARY_SETTLED_MS);
    this.metrics = new CanaryMetrics(registry);
    this.select = makeSelectRows(config, { max_threads: 1 });
    this.lookIntervalMs = Math.max(minLookIntervalMs, Math.min(maxLookIntervalMs, config.CANARY_SETTLED_MS));
  }

  onApplicationBootstrap(): void {
    this.looks.start(this.lookIntervalMs);
  }

  async onApplicationShutdown(): Promise<void> {
    const ended = this.looks.stop();
    await this.judge.stop();
    await ended;
  }

  private async judgeAndReport(): Promise<void> {
    await this.judge.judge(Date.now());
    this.metrics.set(await readCanaryNumbers(this.select));
  }
}
