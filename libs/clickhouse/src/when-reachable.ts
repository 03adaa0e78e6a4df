import { ClickHouseError } from '@clickhouse/client';
import { Logger } from '@nestjs/common';
import { retry } from '@sluice/service';
import { MigrationError } from './migration.js';

const patienceMs = 60_000;
const pauses = { firstPauseMs: 1_000, longestPauseMs: 1_000 };

const logger = new Logger('ClickHouse');

/** An error that ClickHouse answered, or that says what is wrong with a migration: another attempt fails the same. */
const isAnswer = (error: unknown): boolean => error instanceof ClickHouseError || error instanceof MigrationError;

/**
 * Repeats the work for a minute while ClickHouse cannot be reached: it may be starting, or moving to another node.
 * @throws the error that ClickHouse answered, at once; otherwise the last one.
 */
export function whenReachable<T>(work: () => Promise<T>, forMs = patienceMs): Promise<T> {
  return retry(work, {
    ...pauses,
    forMs,
    while: (error) => !isAnswer(error),
    onFailure: ({ error }) => {
      logger.warn({ msg: 'ClickHouse cannot be reached; trying on', error: String(error) });
    },
  });
}
