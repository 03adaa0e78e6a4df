import { SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { describeSource } from './source-text.js';
import { viewSource } from './source-view.js';
import { Sources } from './sources.js';

@SubCommand({ name: 'show', arguments: '<sourceIdentifier>', description: 'Show a source and its keys, by their ids' })
export class ShowSourceCommand extends PrintingCommand {
  constructor(
    private readonly sources: Sources,
    private readonly output: Output,
  ) {
    super();
  }

  async run([sourceIdentifier]: [string], options: OutputOptions): Promise<void> {
    const source = await this.sources.use((writer, registry) => viewSource(writer.get(sourceIdentifier), registry));
    this.output.print(source, options, describeSource);
  }
}
