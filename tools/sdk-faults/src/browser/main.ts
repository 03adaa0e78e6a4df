import { optionsOrExit, reported } from '../run/command.js';
import { withStack } from '../run/stack.js';
import { readBrowserOptions, usage } from './options.js';
import { browser, isGood, textOf } from './report.js';
import { runBrowsers } from './run.js';

/** `npm run test:sdk-faults -- browser`. Resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const options = optionsOrExit(() => readBrowserOptions(args), usage);
  console.log(`seed ${options.seed}, ${options.devices} browsers, until ${options.faults} faults`);
  const outcome = await withStack((stack) => runBrowsers(options, stack));
  return reported(textOf(outcome, browser), isGood(outcome, browser));
}
