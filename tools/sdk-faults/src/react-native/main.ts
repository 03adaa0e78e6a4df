import { isGood, textOf } from '../browser/report.js';
import { endedEarly, optionsOrExit, reported } from '../run/command.js';
import { withStack } from '../run/stack.js';
import { readAppOptions, usage } from './options.js';
import { reactNative } from './platform.js';
import { runApps } from './run.js';

/** `npm run test:sdk-faults -- react-native`. Resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const options = optionsOrExit(() => readAppOptions(args), usage);
  console.log(`seed ${options.seed}, ${options.devices} phones, until ${options.faults} faults`);
  const outcome = await withStack((stack) => runApps(options, stack));
  return reported(
    textOf(outcome, reactNative),
    isGood(outcome, reactNative),
    endedEarly(outcome.faults, options.faults),
  );
}
