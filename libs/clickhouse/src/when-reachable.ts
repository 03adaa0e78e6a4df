import { setTimeout as sleep } from 'node:timers/promises';
import { ClickHouseError } from '@clickhouse/client';
import { Logger } from '@nestjs/common';
import { MigrationError } from './migration.js';

const patienceMs = 60_000;
const pauseMs = 1_000;

const logger = new Logger('ClickHouse');

/**
 * The work again, for a minute, while ClickHouse cannot be reached: it may be starting too, or on its way to another
 * node. What ClickHouse itself says is no reason to wait.
 */
export async function whenReachable<T>(work: () => Promise<T>, forMs = patienceMs): Promise<T> {
  const giveUpAt = performance.now() + forMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isAnswer = error instanceof ClickHouseError || error instanceof MigrationError;
      if (isAnswer || performance.now() > giveUpAt) throw error;
      logger.warn({ msg: 'ClickHouse cannot be reached; trying on', error: String(error) });
      await sleep(pauseMs);
    }
  }
}
