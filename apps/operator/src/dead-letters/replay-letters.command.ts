import { Option, SubCommand } from 'nest-commander';
import { OperatorError } from '../errors.js';
import { Output } from '../output.js';
import { DeadLetters } from './dead-letters.js';
import { listLetters, type LetterView, viewLetter } from './letter-view.js';
import { SelectingCommand, selectionOf, type SelectionOptions } from './selection.js';

interface ReplayOptions extends SelectionOptions {
  dryRun?: boolean;
}

interface Replayed {
  /** False after a dry run. */
  replayed: boolean;
  letters: LetterView[];
}

@SubCommand({
  name: 'replay',
  arguments: '[letters...]',
  description: 'Put refused messages back into their topic; what is stored by now is not stored again',
})
export class ReplayLettersCommand extends SelectingCommand {
  constructor(
    private readonly letters: DeadLetters,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({ flags: '--dry-run', description: 'Only list what would be replayed' })
  dryRun(): boolean {
    return true;
  }

  async run(ids: string[], options: ReplayOptions): Promise<void> {
    const limit = options.limit ?? (ids.length > 0 ? ids.length : undefined);
    const selection = selectionOf({ ...options, ...(limit !== undefined && { limit }) });
    const found = await this.letters.select({ ...selection, ids });
    const missing = ids.filter((id) => !found.some((letter) => letter.id === id));
    if (missing.length > 0) throw new OperatorError(`no dead letter ${missing.join(', ')}; nothing was replayed`);
    const replayed = options.dryRun !== true;
    if (replayed) await this.letters.replay(found);
    this.output.print({ replayed, letters: found.map(viewLetter) }, options, toText);
  }
}

function toText({ replayed, letters }: Replayed): string {
  if (letters.length === 0) return 'There are no such dead letters.';
  const done = replayed ? 'Replayed' : 'Would be replayed';
  return `${done}: ${letters.length}\n\n${listLetters(letters)}`;
}
