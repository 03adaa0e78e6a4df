import { SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { DeadLetters } from './dead-letters.js';
import { describeLetter, viewWholeLetter } from './letter-view.js';

@SubCommand({ name: 'show', arguments: '<letter>', description: 'Show a refused message, and why it was refused' })
export class ShowLetterCommand extends PrintingCommand {
  constructor(
    private readonly letters: DeadLetters,
    private readonly output: Output,
  ) {
    super();
  }

  async run([id]: [string], options: OutputOptions): Promise<void> {
    this.output.print(viewWholeLetter(await this.letters.get(id)), options, describeLetter);
  }
}
