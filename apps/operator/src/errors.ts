import { MigrationError } from '@sluice/clickhouse';
import { OperationError } from '@sluice/operations';
import { ConfigError, firstLine } from '@sluice/service';
import { PlanChangeError } from '@sluice/plans';
import { SourceError } from '@sluice/sources';

export interface ErrorExplanation {
  /** Empty when everything is printed already, as with help. */
  message: string;
  exitCode: number;
}

/** Converts an error to the message for the operator and the exit code for the shell; no other place does. */
export function explainError(error: unknown): ErrorExplanation {
  if (isCommanderError(error)) return explainCommander(error);
  const message = error instanceof Error ? error.message : String(error);
  const isForeseen = [OperationError, SourceError, PlanChangeError, MigrationError, ConfigError].some(
    (errorClass) => error instanceof errorClass,
  );
  if (isForeseen) return { message: `error: ${message}`, exitCode: 1 };
  return { message: `error: ${firstLine(message)} (unexpected; LOG_LEVEL=debug shows where)`, exitCode: 1 };
}

/** Error with which commander ends a command line that it does not run: wrong usage or help. */
interface CommanderError extends Error {
  code: string;
  exitCode: number;
}

const isCommanderError = (error: unknown): error is CommanderError =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');

function explainCommander({ code, message, exitCode }: CommanderError): ErrorExplanation {
  const isHelp = code === 'commander.help' || code === 'commander.helpDisplayed';
  return { message: isHelp ? '' : `${message}\nAdd --help to see how it is used.`, exitCode };
}
