import { optionsOrExit, printed, type CommandRun } from './run/command.js';
import { readRunOptions, formatUsage } from './run/options.js';

/** The runs, by the first argument. Without one, simulated clients meet the faults. */
const runs: Readonly<Record<string, () => Promise<CommandRun>>> = {
  browser: async () => (await import('./browser/browser.js')).browserRun,
  node: async () => (await import('./node/node.js')).nodeRun,
  'react-native': async () => (await import('./react-native/react-native.js')).reactNativeRun,
  kotlin: async () => (await import('./kotlin/kotlin.js')).kotlinRun,
  swift: async () => (await import('./swift/swift.js')).swiftRun,
};

const args = process.argv.slice(2);
const chosen = runs[args[0] ?? ''];
const run = chosen ? await chosen() : (await import('./core/core.js')).coreRun;
const { command } = run;
const options = optionsOrExit(() => readRunOptions(command, chosen ? args.slice(1) : args), formatUsage(command));
console.log(`seed ${options.seed}, ${options.devices} devices, until ${options.limit} ${command.limit}`);
process.exit(printed(await run.report(options), options));
