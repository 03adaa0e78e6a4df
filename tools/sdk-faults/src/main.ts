import { optionsOrExit, reported } from './run/command.js';
import { readOptions, usage } from './run/options.js';
import { isGood, textOf } from './run/report.js';
import { run } from './run/run.js';
import { withStack } from './run/stack.js';

if (process.argv[2] === 'browser') {
  const { main } = await import('./browser/main.js');
  process.exit(await main(process.argv.slice(3)));
}
if (process.argv[2] === 'react-native') {
  const { main } = await import('./react-native/main.js');
  process.exit(await main(process.argv.slice(3)));
}

if (process.argv[2] === 'node') {
  const { main } = await import('./node/main.js');
  process.exit(await main(process.argv.slice(3)));
}

if (process.argv[2] === 'kotlin') {
  const { main } = await import('./kotlin/main.js');
  process.exit(await main(process.argv.slice(3)));
}

const options = optionsOrExit(() => readOptions(process.argv.slice(2)), usage);
console.log(`seed ${options.seed}, ${options.devices} devices, at most ${options.durationMs / 1_000} s of faults`);
const outcome = await withStack((stack) => run(options, stack));
process.exit(reported(textOf(outcome), isGood(outcome)));
