import { isGood, formatRunOutcome } from '../ledger/outcome.js';
import { endedEarly, type CommandRun } from './command.js';
import { sumCounts } from './kinds.js';
import { type Platform } from './platform.js';
import { runClients } from './run.js';
import { withStack } from './stack.js';

/** The run in which the clients of a platform meet faults before the whole stack. */
export const faultRun = (platform: Platform): CommandRun => ({
  command: platform.command,
  report: async (options) => {
    const outcome = await withStack((stack) => runClients(platform, options, stack));
    const isWithoutLoss = isGood(outcome, platform);
    return {
      table: formatRunOutcome(outcome, platform),
      isGood: isWithoutLoss,
      remarks: [
        endedEarly(sumCounts(outcome.faults), options, 'faults'),
        isWithoutLoss
          ? 'Every message is stored once, or was reported.'
          : 'FAILED: see lost, doubled and waiting above.',
      ],
    };
  },
});
