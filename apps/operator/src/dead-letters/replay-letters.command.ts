import { type Replay } from '@sluice/kafka';
import { OperationError, reasonOf } from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { Output } from '../output.js';
import { LetterAccess } from './letter-access.js';
import { listLetters, type LetterView, viewLetter } from './letter-view.js';
import { SelectingCommand, selectionOf, type SelectionOptions } from './selection.js';

/** Max number of letters that an error names. */
const maxNamed = 20;

interface ReplayOptions extends SelectionOptions {
  dryRun?: boolean;
}

interface Replayed {
  /** False after a dry run, and when some letters were not replayed. */
  replayed: boolean;
  /** Letters that were replayed; after a dry run, those that would be. */
  letters: LetterView[];
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
    const selection = selectionOf({ ...options, ...(limit !== undefined && { limit }) });
    const found = await this.letters.select({ ...selection, ids });
    const missing = ids.filter((id) => !found.some((letter) => letter.id === id));
    if (missing.length > 0) throw new OperationError(`no dead letter ${missing.join(', ')}; nothing was replayed`);
    if (options.dryRun === true) {
      this.output.print({ replayed: false, letters: found.map(viewLetter) }, options, toText('Would be replayed'));
      return;
    }
    const outcome = await this.letters.replay(found);
    const failure = failureOf(outcome, found.length);
    const notReplayed = outcome.refused.map(({ letter, why }) => ({ id: letter.id, why }));
    const view = { replayed: failure === undefined, letters: outcome.replayed.map(viewLetter) };
    // Replayed letters are printed even if others failed.
    const isNamed = failure === undefined || view.letters.length > 0;
    if (isNamed) this.output.print({ ...view, ...(failure && { notReplayed }) }, options, toText('Replayed'));
    if (failure) throw failure;
  }
}

/** Returns undefined when all letters were replayed. */
function failureOf({ replayed, refused, error }: Replay, asked: number): OperationError | undefined {
  if (replayed.length === asked) return undefined;
  const named = refused.slice(0, maxNamed).map(({ letter, why }) => `${letter.id}: ${why}`);
  const unnamed = refused.length - named.length;
  return new OperationError(
    [
      `${replayed.length} of ${asked} letters were replayed`,
      ...named,
      ...(unnamed > 0 ? [`and ${unnamed} more`] : []),
      ...(error === undefined
        ? []
        : [`Kafka failed: ${reasonOf(error)}. Replay again: stored messages are not stored again`]),
    ].join('\n'),
  );
}

const toText =
  (done: string) =>
  ({ letters }: Replayed): string =>
    letters.length === 0 ? 'There are no such dead letters.' : `${done}: ${letters.length}\n\n${listLetters(letters)}`;
