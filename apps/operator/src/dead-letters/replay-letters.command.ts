import { type Replay } from '@sluice/kafka';
import { OperationError, describeFailure } from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { Output } from '../output.js';
import { LetterAccess } from './letter-access.js';
import { listLetters, type ListedLetter, viewLetter } from './letter-view.js';
import { SelectingCommand, toSelection, type SelectionOptions } from './selection.js';

/** Max number of letters that an error names. */
const maxNamed = 20;

interface ReplayOptions extends SelectionOptions {
  dryRun?: boolean;
}

interface Replayed {
  /** False after a dry run, and when some letters were not replayed. */
  replayed: boolean;
  /** Letters that were replayed; after a dry run, those that would be. */
  letters: ListedLetter[];
  notReplayed?: { id: string; why: string }[];
}

@SubCommand({
  name: 'replay',
  arguments: '[letters...]',
  description: 'Put refused messages back into their topic; stored messages are not stored again',
})
export class ReplayLettersCommand extends SelectingCommand {
  constructor(
    private readonly letters: LetterAccess,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({ flags: '--dry-run', description: 'Only list the letters that would be replayed' })
  dryRun(): boolean {
    return true;
  }

  async run(ids: string[], options: ReplayOptions): Promise<void> {
    const limit = options.limit ?? (ids.length > 0 ? ids.length : undefined);
    const selection = toSelection({ ...options, ...(limit !== undefined && { limit }) });
    const letters = await this.letters.select({ ...selection, ids });
    const missing = ids.filter((id) => !letters.some((letter) => letter.id === id));
    if (missing.length > 0) throw new OperationError(`no dead letter ${missing.join(', ')}; nothing was replayed`);
    if (options.dryRun === true) {
      this.output.print({ replayed: false, letters: letters.map(viewLetter) }, options, toText('Would be replayed'));
      return;
    }
    const outcome = await this.letters.replay(letters);
    const failure = makeFailure(outcome, letters.length);
    const notReplayed = outcome.refused.map(({ letter, why }) => ({ id: letter.id, why }));
    const view = { replayed: failure === undefined, letters: outcome.replayed.map(viewLetter) };
    // Replayed letters are printed even if others failed.
    const isNamed = failure === undefined || view.letters.length > 0;
    if (isNamed) this.output.print({ ...view, ...(failure && { notReplayed }) }, options, toText('Replayed'));
    if (failure) throw failure;
  }
}

/** Returns undefined when all letters were replayed. */
function makeFailure({ replayed, refused, error }: Replay, letterCount: number): OperationError | undefined {
  if (replayed.length === letterCount) return undefined;
  const shownReasons = refused.slice(0, maxNamed).map(({ letter, why }) => `${letter.id}: ${why}`);
  const unlistedCount = refused.length - shownReasons.length;
  return new OperationError(
    [
      `${replayed.length} of ${letterCount} letters were replayed`,
      ...shownReasons,
      ...(unlistedCount > 0 ? [`and ${unlistedCount} more`] : []),
      ...(error === undefined
        ? []
        : [`Kafka failed: ${describeFailure(error)}. Replay again: stored messages are not stored again`]),
    ].join('\n'),
  );
}

const toText =
  (heading: string) =>
  ({ letters }: Replayed): string =>
    letters.length === 0
      ? 'There are no such dead letters.'
      : `${heading}: ${letters.length}\n\n${listLetters(letters)}`;
