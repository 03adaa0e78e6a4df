import { readOptions, usage } from './run/options.js';
import { isGood, textOf } from './run/report.js';
import { run } from './run/run.js';
import { withStack } from './run/stack.js';

if (process.argv[2] === 'browser') {
  const { main } = await import('./browser/main.js');
  process.exit(await main(process.argv.slice(3)));
}

const options = (() => {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
})();

console.log(`seed ${options.seed}, ${options.devices} devices, at most ${options.durationMs / 1_000} s of faults`);
const outcome = await withStack((stack) => run(options, stack));
console.log(`\n${textOf(outcome)}\n`);
const good = isGood(outcome);
console.log(good ? 'Every message is stored once, or was reported.' : 'FAILED: see lost, doubled and waiting above.');
process.exit(good ? 0 : 1);
