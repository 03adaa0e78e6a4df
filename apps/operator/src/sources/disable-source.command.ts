import { SubCommand } from 'nest-commander';
import { SetStatusCommand } from './set-status.command.js';

@SubCommand({
  name: 'disable',
  arguments: '<sourceIdentifier>',
  description: 'Refuse the data of a source, as if it did not exist',
})
export class DisableSourceCommand extends SetStatusCommand {
  protected readonly status = 'disabled';
  protected readonly effect = 'Source disabled; its data is refused within a second.';
}
