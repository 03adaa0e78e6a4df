import { MissingToolError, ServerStartError } from '@sluice/testing';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatBanner } from './banner.js';
import { ExpectedFailure } from './expected-failure.js';
import { lock, unlock } from './lock.js';
import { rotateLogs } from './log-files.js';
import { builtPrograms } from './programs.js';
import { readLocalSettings, type StackSettings } from './settings.js';
import { stopOnSignal } from './signals.js';
import { StackSupervisor } from './stack.js';
import { Terminal } from './terminal.js';

// Node keeps compiled code here, so that a later start of the same programs takes less of the processor.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../../../node_modules/.cache/node', import.meta.url));

const terminal = new Terminal((text) => process.stdout.write(text));

async function run(settings: StackSettings): Promise<void> {
  const { dataDir } = settings;
  mkdirSync(dataDir, { recursive: true });
  await lock(dataDir);
  rotateLogs(dataDir);
  const stack = new StackSupervisor(settings, builtPrograms, terminal);
  const stop = async (exitCode: number) => {
    await stack.stop();
    unlock(dataDir);
    terminal.line('stopped');
    process.exit(exitCode);
  };
  stopOnSignal(process.env['npm_lifecycle_event'] !== undefined, async () => {
    terminal.line('stopping');
    await stop(0);
  });
  try {
    const [local, link] = await Promise.all([stack.start(), stack.createConsoleLink()]);
    terminal.block(formatBanner(local, dataDir, link));
    void stack.diagnose();
  } catch (error) {
    // A start that was stopped always fails; its error means nothing.
    if (stack.isStopping) return;
    explain(error);
    await stop(1);
  }
}

function explain(error: unknown): void {
  const isExpected = [ExpectedFailure, MissingToolError, ServerStartError].some((type) => error instanceof type);
  process.stderr.write(`${isExpected ? (error as Error).message : (error as Error).stack}\n`);
}

// A closed terminal must not end the stack.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

try {
  await run(readLocalSettings(process.env));
} catch (error) {
  explain(error);
  process.exitCode = 1;
}
