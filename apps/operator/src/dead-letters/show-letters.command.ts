import { SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { LetterAccess } from './letter-access.js';
import { describeLetter, listLetters, viewLetter, viewWholeLetter } from './letter-view.js';
import { SelectingCommand, toSelection, type SelectionOptions } from './selection.js';

@SubCommand({ name: 'list', description: 'List messages that were refused, the newest first' })
export class ListLettersCommand extends SelectingCommand {
  constructor(
    private readonly letters: LetterAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run(_: string[], options: SelectionOptions): Promise<void> {
    const letters = await this.letters.select(toSelection(options));
    this.output.print(letters.map(viewLetter), options, listLetters);
  }
}

@SubCommand({ name: 'show', arguments: '<letter>', description: 'Show a refused message, and why it was refused' })
export class ShowLetterCommand extends PrintingCommand {
  constructor(
    private readonly letters: LetterAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run([id]: [string], options: OutputOptions): Promise<void> {
    this.output.print(viewWholeLetter(await this.letters.get(id)), options, describeLetter);
  }
}
