import { SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { listSources } from './source-text.js';
import { viewSource } from './source-view.js';
import { Sources } from './sources.js';

@SubCommand({ name: 'list', description: 'List all sources, by name' })
export class ListSourcesCommand extends PrintingCommand {
  constructor(
    private readonly sources: Sources,
    private readonly output: Output,
  ) {
    super();
  }

  async run(_: string[], options: OutputOptions): Promise<void> {
    const all = await this.sources.use((_writer, registry) =>
      registry.list().map((source) => viewSource(source, registry)),
    );
    this.output.print(all, options, listSources);
  }
}
