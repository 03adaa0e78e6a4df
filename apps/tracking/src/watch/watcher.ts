import { hostname } from 'node:os';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type ClickHouseConfig } from '@sluice/clickhouse';
import { EventWatch, WatchMetrics } from '@sluice/operations';
import { type Registry } from '@sluice/service';
import { RepeatedLook } from '../repeated-look.js';

const lookIntervalMs = 60_000;

/** Runs the event watch next to the consumer, so that no block waits for it: docs/decisions/0113-event-watch.md. */
@Injectable()
export class Watcher implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(Watcher.name);
  private readonly watch: EventWatch;
  private readonly metrics: WatchMetrics;
  private readonly looks = new RepeatedLook(() => this.judgeAndReport(), this.logger, 'events are not watched for now');

  constructor(config: ClickHouseConfig, registry: Registry) {
    this.watch = new EventWatch(config, `${hostname()}:${process.pid}`);
    this.metrics = new WatchMetrics(registry);
  }

  onApplicationBootstrap(): void {
    this.looks.start(lookIntervalMs);
  }

  async onApplicationShutdown(): Promise<void> {
    const ended = this.looks.stop();
    await this.watch.stop();
    await ended;
  }

  /** Judges the last hour if no process has, and reads the numbers of changes. After a failure, tries again. */
  private async judgeAndReport(): Promise<void> {
    const run = await this.watch.run(Date.now());
    if (run) {
      const { judged, unknown, tookMs } = run;
      this.logger.log({ msg: 'watched an hour', judged, unknown, tookMs, opened: run.opened.length });
    }
    this.metrics.set(await this.watch.countChanges(), await this.watch.readLastHour());
  }
}
