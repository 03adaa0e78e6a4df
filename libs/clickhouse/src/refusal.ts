import { ClickHouseError } from '@clickhouse/client';
import { stateErrors } from './content-errors.js';

/**
 * Errors of DDL that pass: replicas that have not finished or started a statement yet, and rights that somebody may
 * still grant. What is here and in `stateErrors` is repeated; any other answer of ClickHouse refuses the statement.
 */
const passing: ReadonlySet<string> = new Set([
  '244', // UNEXPECTED_ZOOKEEPER_ERROR
  '289', // REPLICA_IS_NOT_IN_QUORUM
  '341', // UNFINISHED
  '473', // DEADLOCK_AVOIDED
  '517', // CANNOT_ASSIGN_ALTER
  '519', // NO_ACTIVE_REPLICAS
]);

/** True when ClickHouse refused a statement for good, so that repeating it is of no use. */
export const isRefusal = (error: unknown): error is ClickHouseError =>
  error instanceof ClickHouseError && !passing.has(error.code) && !stateErrors.has(error.code);
