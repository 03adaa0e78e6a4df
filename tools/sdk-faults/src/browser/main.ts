import { withStack } from '../run/stack.js';
import { readBrowserOptions, usage } from './options.js';
import { isGood, textOf } from './report.js';
import { runBrowsers } from './run.js';

/** `npm run test:sdk-faults -- browser`. Resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const options = (() => {
    try {
      return readBrowserOptions(args);
    } catch (error) {
      console.error(`${(error as Error).message}\n\n${usage}`);
      process.exit(2);
    }
  })();
  console.log(`seed ${options.seed}, ${options.devices} browsers, until ${options.faults} faults`);
  const outcome = await withStack((stack) => runBrowsers(options, stack));
  console.log(`\n${textOf(outcome)}\n`);
  const good = isGood(outcome);
  console.log(good ? 'Every message is stored once, or was reported.' : 'FAILED: see lost, doubled and waiting above.');
  return good ? 0 : 1;
}
