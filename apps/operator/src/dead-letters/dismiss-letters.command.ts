import { OperationError } from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { Output } from '../output.js';
import { LetterAccess } from './letter-access.js';
import { toConditions, FilteringCommand, type SelectionOptions } from './selection.js';

const maxReasonLength = 500;
/** Number of ids that are printed. */
const maxPrinted = 20;

interface DismissOptions extends Omit<SelectionOptions, 'limit'> {
  why: string;
  all?: boolean;
  dryRun?: boolean;
}

interface Dismissed {
  /** False after a dry run. */
  dismissed: boolean;
  /** Ids of the letters, the newest first. */
  letters: readonly string[];
  /** Number of the oldest ones, which are too many to be named; undefined if all are. */
  oldest?: number;
}

@SubCommand({
  name: 'dismiss',
  arguments: '[letters...]',
  description: 'Mark refused messages as needing no more attention; they stay where they are and can still be replayed',
})
export class DismissLettersCommand extends FilteringCommand {
  constructor(
    private readonly letters: LetterAccess,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({ flags: '--why <text>', required: true, description: 'Why they do not go back' })
  why(text: string): string {
    const why = text.trim();
    if (why === '' || why.length > maxReasonLength)
      throw new OperationError(`--why must be a text of 1 to ${maxReasonLength} characters`);
    return why;
  }

  @Option({ flags: '--all', description: 'All letters; without ids and conditions it must be said' })
  all(): boolean {
    return true;
  }

  @Option({ flags: '--dry-run', description: 'Only say which letters would be dismissed' })
  dryRun(): boolean {
    return true;
  }

  async run(ids: string[], { why, all = false, dryRun = false, ...options }: DismissOptions): Promise<void> {
    const conditions = toConditions(options);
    const isChosen = ids.length > 0 || Object.keys(conditions).length > 0;
    if (!isChosen && !all) throw new OperationError('name letters, conditions such as --reason, or --all');
    const { ids: letters, oldest } = await this.letters.dismiss({ ...conditions, ids }, why, dryRun);
    this.output.print({ dismissed: !dryRun, letters, ...(oldest > 0 && { oldest }) }, options, describeDismissed);
  }
}

function describeDismissed({ dismissed, letters, oldest = 0 }: Dismissed): string {
  if (letters.length + oldest === 0) return 'There are no such dead letters that are untreated.';
  const unlistedCount = letters.length + oldest - Math.min(letters.length, maxPrinted);
  return [
    `${dismissed ? 'Dismissed' : 'Would be dismissed'}: ${letters.length + oldest}`,
    '',
    ...letters.slice(0, maxPrinted),
    ...(unlistedCount > 0 ? [`and ${unlistedCount} more`] : []),
  ].join('\n');
}
