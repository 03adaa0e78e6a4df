import { optionsOrExit, reported } from './run/command.js';
import { readOptions, usage } from './run/options.js';
import { isGood, textOf } from './run/report.js';
import { run } from './run/run.js';
import { withStack } from './run/stack.js';

/** Runs of their own, by the first argument. */
const runs: Readonly<Record<string, () => Promise<{ main: (args: readonly string[]) => Promise<number> }>>> = {
  browser: () => import('./browser/main.js'),
  node: () => import('./node/main.js'),
  'react-native': () => import('./react-native/main.js'),
  kotlin: () => import('./kotlin/main.js'),
};

const [name = '', ...rest] = process.argv.slice(2);
const chosen = runs[name];
if (chosen) process.exit(await (await chosen()).main(rest));

const options = optionsOrExit(() => readOptions(process.argv.slice(2)), usage);
console.log(`seed ${options.seed}, ${options.devices} devices, at most ${options.durationMs / 1_000} s of faults`);
const outcome = await withStack((stack) => run(options, stack));
process.exit(reported(textOf(outcome), isGood(outcome)));
