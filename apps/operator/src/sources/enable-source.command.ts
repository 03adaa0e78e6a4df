import { SubCommand } from 'nest-commander';
import { Output } from '../output.js';
import { SetStatusCommand } from './set-status.command.js';
import { Sources } from './sources.js';

@SubCommand({ name: 'enable', arguments: '<sourceIdentifier>', description: 'Take the data of a source again' })
export class EnableSourceCommand extends SetStatusCommand {
  protected readonly status = 'enabled';
  protected readonly effect = 'Source enabled; its data is taken within a second.';

  // Stated again, so that Nest knows what to hand in.
  constructor(sources: Sources, output: Output) {
    super(sources, output);
  }
}
