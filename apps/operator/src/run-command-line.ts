import { type LoggerService } from '@nestjs/common';
import { readConfig } from '@sluice/service';
import { CommandFactory, CommandRunnerService } from 'nest-commander';
import { logVariables } from './config.js';
import { explainError } from './errors.js';
import { OperatorModule } from './operator.module.js';

/** Runs one command line, given without the program's name. Returns the exit code: 0 for success, 1 for failure. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const { LOG_LEVEL } = readConfig(logVariables);
  const isVerbose = LOG_LEVEL === 'debug' || LOG_LEVEL === 'trace';
  try {
    await run(args, isVerbose);
    return 0;
  } catch (error) {
    const { message, exitCode } = explainError(error);
    if (message !== '') process.stderr.write(`${message}\n`);
    if (isVerbose) console.error(error);
    return exitCode;
  }
}

async function run(args: readonly string[], isVerbose: boolean): Promise<void> {
  const app = await CommandFactory.createWithoutRunning(OperatorModule, {
    abortOnError: false,
    logger: isVerbose ? new StderrLogger() : false,
    // `runCommandLine` prints every message.
    outputConfiguration: { outputError: () => undefined },
    serviceErrorHandler: (error) => {
      throw error;
    },
  });
  try {
    await app.get(CommandRunnerService).run(['node', 'operator', ...args]);
  } finally {
    await app.close();
  }
}

/** Writes log lines (LOG_LEVEL=debug) to stderr, because stdout is for the result alone. */
class StderrLogger implements LoggerService {
  log = write;
  error = write;
  warn = write;
  debug = write;
}

function write(...parts: unknown[]): void {
  console.error(...parts);
}
