import { parseOrigins, viewSource } from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { RegistryAccess } from './registry-access.js';
import { describeSource } from './source-view.js';

@SubCommand({
  name: 'restrict',
  arguments: '<sourceIdentifier>',
  description: 'Set the origins whose pages may send; `any` accepts all',
})
export class RestrictSourceCommand extends PrintingCommand {
  constructor(
    private readonly registry: RegistryAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run(
    [sourceIdentifier]: [string],
    { origins, json }: OutputOptions & { origins: string[] | 'any' },
  ): Promise<void> {
    const details = { origins: origins === 'any' ? null : origins };
    const action = { operation: 'sources.origins', object: sourceIdentifier, details };
    const source = await this.registry.change(action, async (writer, registry) =>
      viewSource(await writer.setOrigins(sourceIdentifier, details.origins ?? undefined), registry),
    );
    const toText = (): string => `Origins changed; they hold within a second.\n\n${describeSource(source)}`;
    this.output.print(source, { json: json === true }, toText);
  }

  @Option({
    flags: '--origins <origins>',
    description: 'Such as https://shop.example,https://*.shop.example; it replaces the list',
    required: true,
  })
  parseOrigins(text: string): string[] | 'any' {
    return parseOrigins(text);
  }
}
