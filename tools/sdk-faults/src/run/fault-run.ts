import { isGood, textOf } from '../ledger/outcome.js';
import { endedEarly, type Run } from './command.js';
import { sumOf } from './kinds.js';
import { type Platform } from './platform.js';
import { run } from './run.js';
import { withStack } from './stack.js';

/** The run in which the clients of a platform meet faults before the whole stack. */
export const faultRun = (platform: Platform): Run => ({
  command: platform.command,
  report: async (options) => {
    const outcome = await withStack((stack) => run(platform, options, stack));
    const isWithoutLoss = isGood(outcome, platform);
    return {
      table: textOf(outcome, platform),
      isGood: isWithoutLoss,
      remarks: [
        endedEarly(sumOf(outcome.faults), options, 'faults'),
        isWithoutLoss
          ? 'Every message is stored once, or was reported.'
          : 'FAILED: see lost, doubled and waiting above.',
      ],
    };
  },
});
