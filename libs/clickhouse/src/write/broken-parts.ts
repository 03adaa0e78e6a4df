import { Logger } from '@nestjs/common';
import { errorCode, Gauge, type Registry } from '@sluice/service';
import { type TableWriter } from './table-writer.js';

const lookEveryMs = 60_000;

/**
 * Counts the parts that ClickHouse has set aside because it could not read them when it started: their rows were
 * stored, and no query sees them any more. Looks every minute.
 */
export class BrokenParts {
  private readonly logger = new Logger(BrokenParts.name);
  private readonly parts: Gauge<'table'>;
  private timer: NodeJS.Timeout | undefined;
  private isDenied = false;

  constructor(
    registry: Registry,
    private readonly writer: Pick<TableWriter, 'brokenParts'>,
  ) {
    this.parts = new Gauge({
      name: 'sluice_clickhouse_broken_parts',
      help: 'Parts of the table that ClickHouse has detached as broken; their rows were stored and are not found any more. No value for tables without one',
      labelNames: ['table'],
      registers: [registry],
    });
  }

  start(): void {
    this.timer ??= setInterval(() => void this.look(), lookEveryMs).unref();
    void this.look();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Keeps the last counts if ClickHouse does not answer. */
  async look(): Promise<void> {
    try {
      const counts = await this.writer.brokenParts();
      this.parts.reset();
      for (const [table, parts] of counts) this.parts.set({ table }, parts);
    } catch (error) {
      if (errorCode(error) !== 'ACCESS_DENIED' || this.isDenied) return;
      this.isDenied = true;
      this.logger.warn('ClickHouse does not let this user read system.detached_parts: broken parts stay unnoticed');
    }
  }
}
