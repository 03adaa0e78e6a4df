import { ClickHouseError } from '@clickhouse/client';
import { Logger } from '@nestjs/common';
import { retry } from '@sluice/service';
import { MigrationError } from './migration.js';

const patienceMs = 60_000;
const backoff = { firstPauseMs: 1_000, longestPauseMs: 1_000 };

const logger = new Logger('ClickHouse');

/**
 * Repeats the work for a minute while ClickHouse cannot be reached: it may be starting, or moving to another node. An
 * error that ClickHouse itself answers ends the attempts.
 */
export const whenReachable = <T>(work: () => Promise<T>, forMs = patienceMs): Promise<T> =>
  retry(work, {
    ...backoff,
    forMs,
    while: (error) => !(error instanceof ClickHouseError || error instanceof MigrationError),
    onFailure: ({ error }) => {
      logger.warn({ msg: 'ClickHouse cannot be reached, trying again', error: String(error) });
    },
  });
