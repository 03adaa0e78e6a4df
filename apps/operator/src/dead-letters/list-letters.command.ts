import { SubCommand } from 'nest-commander';
import { Output } from '../output.js';
import { DeadLetters } from './dead-letters.js';
import { listLetters, viewLetter } from './letter-view.js';
import { SelectingCommand, selectionOf, type SelectionOptions } from './selection.js';

@SubCommand({ name: 'list', description: 'List messages that were refused, the newest first' })
export class ListLettersCommand extends SelectingCommand {
  constructor(
    private readonly letters: DeadLetters,
    private readonly output: Output,
  ) {
    super();
  }

  async run(_: string[], options: SelectionOptions): Promise<void> {
    const found = await this.letters.select(selectionOf(options));
    this.output.print(found.map(viewLetter), options, listLetters);
  }
}
