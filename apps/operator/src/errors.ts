import { MigrationError } from '@sluice/clickhouse';
import { ConfigError } from '@sluice/service';
import { SourceError } from '@sluice/sources';

/** What was asked for cannot be done; the message tells a person what to change. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

export interface Explanation {
  /** Empty when all was said already, as with help. */
  message: string;
  exitCode: number;
}

/** The one place where an error becomes what the operator reads and what the shell gets. */
export function explainError(error: unknown): Explanation {
  if (isCommanderError(error)) return explainCommander(error);
  const message = error instanceof Error ? error.message : String(error);
  const foreseen = [OperatorError, SourceError, MigrationError, ConfigError].some((one) => error instanceof one);
  if (foreseen) return { message: `error: ${message}`, exitCode: 1 };
  return { message: `error: ${firstLine(message)} (unexpected; LOG_LEVEL=debug shows where)`, exitCode: 1 };
}

/** Why a server could not be used, in one line of bearable length. */
export function reasonOf(error: unknown): string {
  // Several failures in one, such as a refused connection to each address of a name, may have no message of their own.
  const { message = '', code = '', errors = [] } = error as Partial<NodeJS.ErrnoException & AggregateError>;
  const text = errors.length > 0 ? errors.map(reasonOf).join('; ') : message || code || 'it answered with an error';
  return firstLine(text);
}

const firstLine = (text: string): string => text.trim().split('\n', 1).join().slice(0, 500);

/** How commander ends a command line that it does not run: wrong usage, or help that was asked for. */
interface CommanderError extends Error {
  code: string;
  exitCode: number;
}

const isCommanderError = (error: unknown): error is CommanderError =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');

function explainCommander({ code, message, exitCode }: CommanderError): Explanation {
  const isHelp = code === 'commander.help' || code === 'commander.helpDisplayed';
  return { message: isHelp ? '' : `${message}\nAdd --help to see how it is used.`, exitCode };
}
