import { Demo } from './demo.js';
import { DemoError } from './demo-error.js';
import { readRunningStack } from './local-stack.js';
import { loseEvent } from './lost-event/lost-event.js';
import { readDemoOptions, demoUsage } from './options.js';
import { DemoProgress } from './progress.js';
import { describeQueries, describeSent } from './result/report.js';

/** On ^C both the terminal and npm send a signal. A second signal within this time is the same ^C. */
const sameSignalMs = 500;

async function run(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) {
    process.stdout.write(`${demoUsage}\n`);
    return;
  }
  const options = readDemoOptions(args);
  const stack = readRunningStack(process.env['SLUICE_DATA_DIR'] ?? '.data');
  if (options.lost) {
    const { event, version } = options.lost;
    process.stdout.write(`An app whose version ${version} loses ${event}, at ${stack.clickhouse.url}.\n`);
    const changes = await loseEvent(stack, options.lost, Date.now());
    process.stdout.write(`\nThe watch found:\n${changes}\n\nThe console shows it under Changes. docs/watch.md\n`);
    return;
  }
  const demo = new Demo(stack, options);
  const ending = options.durationMs === undefined && options.historyDays === undefined ? ' ^C ends it.' : '';
  process.stdout.write(
    `A shop with ${options.users} people, seed ${options.seed}, at ${stack.gateway.url}.${ending}\n`,
  );
  stopOnSignal(() => demo.stop());
  const progress = new DemoProgress(() => demo.sent, process.stdout);
  const { sent, tableCounts } = await demo.play().finally(() => progress.stop());
  process.stdout.write(`\n${describeSent(sent, tableCounts)}\n\n${await describeQueries(stack)}\n`);
  if (tableCounts.some((tableCount) => tableCount.stored < tableCount.sent))
    throw new DemoError('Not everything that was sent is stored.');
}

/** The first ^C stops gracefully, the second exits at once. */
function stopOnSignal(stop: () => void): void {
  let firstSignalTime: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (firstSignalTime !== undefined && Date.now() - firstSignalTime > sameSignalMs) process.exit(1);
      firstSignalTime ??= Date.now();
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
