import { firstLine } from '@sluice/service';

/** An operation that cannot be done; the message says what to change. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
}

/** A server that could not be used. */
export class ServerUnreachableError extends OperationError {
  constructor(
    readonly server: 'kafka' | 'clickhouse' | 'gateway',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Reason why a server could not be used, in one line of limited length. */
export function describeFailure(error: unknown): string {
  // An AggregateError, such as for a refused connection to each address of a name, may have no message of its own.
  const { message = '', code = '', errors = [] } = error as Partial<NodeJS.ErrnoException & AggregateError>;
  const text =
    errors.length > 0 ? errors.map(describeFailure).join('; ') : message || code || 'it answered with an error';
  return firstLine(text);
}
