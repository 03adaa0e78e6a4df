import { optionsOrExit, printed, type Run } from './run/command.js';
import { readOptions, usageOf } from './run/options.js';

/** The runs, by the first argument. Without one, simulated clients meet the faults. */
const runs: Readonly<Record<string, () => Promise<Run>>> = {
  browser: async () => (await import('./browser/browser.js')).browserRun,
  node: async () => (await import('./node/node.js')).nodeRun,
  'react-native': async () => (await import('./react-native/react-native.js')).reactNativeRun,
  kotlin: async () => (await import('./kotlin/kotlin.js')).kotlinRun,
  swift: async () => (await import('./swift/swift.js')).swiftRun,
};

const all = process.argv.slice(2);
const chosen = runs[all[0] ?? ''];
const run = chosen ? await chosen() : (await import('./core/core.js')).coreRun;
const { command } = run;
const options = optionsOrExit(() => readOptions(command, chosen ? all.slice(1) : all), usageOf(command));
console.log(`seed ${options.seed}, ${options.devices} devices, until ${options.limit} ${command.limit}`);
process.exit(printed(await run.report(options), options));
