import { ClickHouseError } from '@clickhouse/client';
import { stateErrors } from './content-errors.js';

/** An answer of ClickHouse that the client does not recognise: an error of the library that parses requests. */
const unnamed = /\bPoco::Exception\. Code: (?<code>\d+)/;
/** Upper bound of errors that wrap one another. */
const deepest = 5;

/**
 * ClickHouse's answer that refuses a request, also where it is the cause of another error; undefined when ClickHouse did
 * not answer.
 */
export function findRefusal(error: unknown, depth = deepest): ClickHouseError | undefined {
  if (error instanceof ClickHouseError) return error;
  if (!(error instanceof Error) || depth === 0) return undefined;
  const { code } = unnamed.exec(error.message)?.groups ?? {};
  if (code !== undefined) return new ClickHouseError({ message: 'unnamed', code, type: 'POCO_EXCEPTION' });
  return findRefusal(error.cause, depth - 1);
}

/**
 * Transient errors of DDL, as while a replica has not finished a statement. After one of them, or one of `stateErrors`
 * (such as a right that is not granted yet), a statement is repeated; any other error of ClickHouse refuses it.
 */
const transientErrors: ReadonlySet<string> = new Set([
  '244', // UNEXPECTED_ZOOKEEPER_ERROR
  '289', // REPLICA_IS_NOT_IN_QUORUM
  '341', // UNFINISHED
  '473', // DEADLOCK_AVOIDED
  '517', // CANNOT_ASSIGN_ALTER
  '519', // NO_ACTIVE_REPLICAS
]);

/** True when ClickHouse refused a statement for good, so that repeating it is of no use. */
export const isRefusal = (error: unknown): error is ClickHouseError =>
  error instanceof ClickHouseError && !transientErrors.has(error.code) && !stateErrors.has(error.code);
