import { SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { describeSource } from './source-text.js';
import { viewSource } from './source-view.js';
import { Sources } from './sources.js';

@SubCommand({
  name: 'disable',
  arguments: '<sourceIdentifier>',
  description: 'Refuse the data of a source, as if it did not exist',
})
export class DisableSourceCommand extends PrintingCommand {
  constructor(
    private readonly sources: Sources,
    private readonly output: Output,
  ) {
    super();
  }

  async run([sourceIdentifier]: [string], options: OutputOptions): Promise<void> {
    const source = await this.sources.use(async (writer, registry) =>
      viewSource(await writer.setStatus(sourceIdentifier, 'disabled'), registry),
    );
    const effect = 'Source disabled; its data is refused within a second.';
    this.output.print(source, options, (view) => `${effect}\n\n${describeSource(view)}`);
  }
}

@SubCommand({ name: 'enable', arguments: '<sourceIdentifier>', description: 'Take the data of a source again' })
export class EnableSourceCommand extends PrintingCommand {
  constructor(
    private readonly sources: Sources,
    private readonly output: Output,
  ) {
    super();
  }

  async run([sourceIdentifier]: [string], options: OutputOptions): Promise<void> {
    const source = await this.sources.use(async (writer, registry) =>
      viewSource(await writer.setStatus(sourceIdentifier, 'enabled'), registry),
    );
    const effect = 'Source enabled; its data is taken within a second.';
    this.output.print(source, options, (view) => `${effect}\n\n${describeSource(view)}`);
  }
}
