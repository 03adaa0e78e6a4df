import { Command, CommandRunner } from 'nest-commander';
import { refuseUnknown } from '../command-line.js';
import { CreateSourceCommand } from './create-source.command.js';
import { ListSourcesCommand } from './list-sources.command.js';
import { RevokeKeyCommand } from './revoke-key.command.js';
import { RotateKeyCommand } from './rotate-key.command.js';
import { DisableSourceCommand, EnableSourceCommand } from './set-status.command.js';
import { ShowSourceCommand } from './show-source.command.js';

@Command({
  name: 'sources',
  description: 'Who may send data, and with which keys',
  subCommands: [
    CreateSourceCommand,
    ListSourcesCommand,
    ShowSourceCommand,
    RotateKeyCommand,
    RevokeKeyCommand,
    DisableSourceCommand,
    EnableSourceCommand,
  ],
})
export class SourcesCommand extends CommandRunner {
  run(words: string[]): Promise<void> {
    refuseUnknown(this.command, words);
  }
}
