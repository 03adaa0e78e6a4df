import { SubCommand } from 'nest-commander';
import { SetStatusCommand } from './set-status.command.js';

@SubCommand({ name: 'enable', arguments: '<sourceIdentifier>', description: 'Take the data of a source again' })
export class EnableSourceCommand extends SetStatusCommand {
  protected readonly status = 'enabled';
  protected readonly effect = 'Source enabled; its data is taken within a second.';
}
