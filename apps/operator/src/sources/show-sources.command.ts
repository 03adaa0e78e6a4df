import { viewSource } from '@sluice/operations';
import { SubCommand } from 'nest-commander';
import { publicUrlVariables } from '../config.js';
import { Connection } from '../connection/connection.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { RegistryAccess } from './registry-access.js';
import { describeSource, listSources } from './source-view.js';

@SubCommand({ name: 'list', description: 'List all sources, by name' })
export class ListSourcesCommand extends PrintingCommand {
  constructor(
    private readonly registry: RegistryAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run(_: string[], options: OutputOptions): Promise<void> {
    const sources = await this.registry.use((_writer, registry) =>
      registry.list().map((source) => viewSource(source, registry)),
    );
    this.output.print(sources, options, listSources);
  }
}

@SubCommand({ name: 'show', arguments: '<sourceIdentifier>', description: 'Show a source and its keys, by their ids' })
export class ShowSourceCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly registry: RegistryAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run([sourceIdentifier]: [string], options: OutputOptions): Promise<void> {
    const source = await this.registry.use((writer, registry) => viewSource(writer.get(sourceIdentifier), registry));
    const { GATEWAY_PUBLIC_URL: host } = this.connection.read(publicUrlVariables);
    this.output.print(source, options, (view) => describeSource(view, host));
  }
}
