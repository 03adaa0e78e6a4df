import { Demo } from './demo.js';
import { DemoError } from './demo-error.js';
import { readLocalStack } from './local-stack.js';
import { readOptions, usage } from './options.js';
import { Progress } from './progress.js';
import { describeQueries, describeSent } from './result/report.js';

/** On ^C both the terminal and npm send a signal. A second signal within this time is the same ^C. */
const sameSignalMs = 500;

async function run(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const options = readOptions(args);
  const stack = readLocalStack(process.env['SLUICE_DATA_DIR'] ?? '.data');
  const demo = new Demo(stack, options);
  const ending = options.durationMs === undefined && options.historyDays === undefined ? ' ^C ends it.' : '';
  process.stdout.write(
    `A shop with ${options.users} people, seed ${options.seed}, at ${stack.gateway.url}.${ending}\n`,
  );
  stopOnSignal(() => demo.stop());
  const progress = new Progress(() => demo.sent, process.stdout);
  const { sent, counted } = await demo.play().finally(() => progress.stop());
  process.stdout.write(`\n${describeSent(sent, counted)}\n\n${await describeQueries(stack)}\n`);
  if (counted.some((one) => one.stored < one.sent)) throw new DemoError('Not everything that was sent is stored.');
}

/** The first ^C stops gracefully, the second exits at once. */
function stopOnSignal(stop: () => void): void {
  let firstAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (firstAt !== undefined && Date.now() - firstAt > sameSignalMs) process.exit(1);
      firstAt ??= Date.now();
      stop();
    });
  }
}

try {
  await run(process.argv.slice(2));
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof DemoError ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
}
