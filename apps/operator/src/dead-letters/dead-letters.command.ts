import { Command, CommandRunner } from 'nest-commander';
import { refuseUnknown } from '../command-line.js';
import { ListLettersCommand } from './list-letters.command.js';
import { ReplayLettersCommand } from './replay-letters.command.js';
import { ShowLetterCommand } from './show-letter.command.js';

@Command({
  name: 'dead-letters',
  description: 'Messages that could not be stored',
  subCommands: [ListLettersCommand, ShowLetterCommand, ReplayLettersCommand],
})
export class DeadLettersCommand extends CommandRunner {
  run(words: string[]): Promise<void> {
    refuseUnknown(this.command, words);
  }
}
