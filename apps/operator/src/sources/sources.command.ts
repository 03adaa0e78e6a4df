import { Command, CommandRunner } from 'nest-commander';
import { refuseUnknown } from '../command-line.js';
import { sourcesCommands } from './sources-commands.js';

@Command({ name: 'sources', description: 'Who may send data, and with which keys', subCommands: [...sourcesCommands] })
export class SourcesCommand extends CommandRunner {
  run(words: string[]): Promise<void> {
    refuseUnknown(this.command, words);
  }
}
