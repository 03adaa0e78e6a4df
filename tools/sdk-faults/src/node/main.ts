import { isFoundOut, isGood, textOf } from '../browser/report.js';
import { endedEarly, optionsOrExit, reported } from '../run/command.js';
import { withStack } from '../run/stack.js';
import { readNodeOptions, usage } from './options.js';
import { node } from './platform.js';
import { runNode } from './run.js';

/** `npm run test:sdk-faults -- node`. Resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const options = optionsOrExit(() => readNodeOptions(args), usage);
  console.log(`seed ${options.seed}, ${options.devices} directories, until ${options.faults} faults`);
  const outcome = await withStack((stack) => runNode(options, stack));
  if (options.mutant !== undefined) {
    const isFound = isFoundOut(outcome);
    console.log(`\n${textOf(outcome, node)}\n\nThe mutant '${options.mutant}' ${isFound ? 'was found.' : 'PASSED.'}`);
    return isFound ? 0 : 1;
  }
  return reported(textOf(outcome, node), isGood(outcome, node), endedEarly(outcome.faults, options.faults));
}
