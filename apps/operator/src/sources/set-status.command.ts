import { Injectable } from '@nestjs/common';
import { type Source } from '@sluice/sources';
import { viewSource } from '@sluice/operations';
import { SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { RegistryAccess } from './registry-access.js';
import { describeSource } from './source-view.js';

/** A command that sets the status of a source, and prints the effect. */
@Injectable()
abstract class SetStatusCommand extends PrintingCommand {
  protected abstract readonly status: Source['status'];
  protected abstract readonly effect: string;

  constructor(
    private readonly registry: RegistryAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run([sourceIdentifier]: [string], options: OutputOptions): Promise<void> {
    const action = { operation: 'sources.status', object: sourceIdentifier, details: { status: this.status } };
    const source = await this.registry.change(action, async (writer, registry) =>
      viewSource(await writer.setStatus(sourceIdentifier, this.status), registry),
    );
    this.output.print(source, options, (view) => `${this.effect}\n\n${describeSource(view)}`);
  }
}

@SubCommand({ name: 'enable', arguments: '<sourceIdentifier>', description: 'Take the data of a source again' })
export class EnableSourceCommand extends SetStatusCommand {
  protected readonly status = 'enabled';
  protected readonly effect = 'Source enabled; its data is taken within a second.';
}

@SubCommand({
  name: 'disable',
  arguments: '<sourceIdentifier>',
  description: 'Refuse the data of a source, as if it did not exist',
})
export class DisableSourceCommand extends SetStatusCommand {
  protected readonly status = 'disabled';
  protected readonly effect = 'Source disabled; its data is refused within a second.';
}
