import { MissingToolError, ServerStartError } from '@sluice/testing';
import { mkdirSync } from 'node:fs';
import { banner } from './banner.js';
import { ExpectedFailure } from './expected-failure.js';
import { lock, unlock } from './lock.js';
import { rotateLogs } from './log-files.js';
import { builtPrograms } from './programs.js';
import { readSettings, type Settings } from './settings.js';
import { Stack } from './stack.js';
import { Terminal } from './terminal.js';

/** npm passes on the ^C that the terminal has sent already: what comes so soon is the same one. */
const sameSignalMs = 500;

const terminal = new Terminal((text) => process.stdout.write(text));

/** SIGINT, SIGTERM and SIGHUP stop the stack; a second one kills it. */
function stopOnSignal(stop: () => Promise<void>): void {
  let firstAt: number | undefined;
  const onSignal = () => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      void stop();
    } else if (Date.now() - firstAt > sameSignalMs) {
      process.exit(1);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
}

async function run(settings: Settings): Promise<void> {
  const { dataDir } = settings;
  mkdirSync(dataDir, { recursive: true });
  await lock(dataDir);
  rotateLogs(dataDir);
  const stack = new Stack(settings, builtPrograms, terminal);
  const stop = async (exitCode: number) => {
    await stack.stop();
    unlock(dataDir);
    process.exit(exitCode);
  };
  stopOnSignal(async () => {
    terminal.line('stopping');
    await stop(0);
  });
  try {
    terminal.block(banner(await stack.start(), dataDir));
  } catch (error) {
    // Whatever a start that is being stopped says, it is stopped.
    if (stack.isStopping) return;
    explain(error);
    await stop(1);
  }
}

function explain(error: unknown): void {
  const isExpected = [ExpectedFailure, MissingToolError, ServerStartError].some((type) => error instanceof type);
  process.stderr.write(`${isExpected ? (error as Error).message : (error as Error).stack}\n`);
}

// A terminal that was closed is no reason to fail.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

try {
  await run(readSettings(process.env));
} catch (error) {
  explain(error);
  process.exitCode = 1;
}
