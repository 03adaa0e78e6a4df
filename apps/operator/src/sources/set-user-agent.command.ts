import { parseUserAgentRule, viewSource } from '@sluice/operations';
import { SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { RegistryAccess } from './registry-access.js';
import { describeSource } from './source-view.js';

@SubCommand({
  name: 'user-agent',
  arguments: '<sourceIdentifier> <keep|drop>',
  description: 'Keep the user agent of each event, or drop it before it is stored',
})
export class SetUserAgentCommand extends PrintingCommand {
  constructor(
    private readonly registry: RegistryAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run([sourceIdentifier, text]: [string, string], { json }: OutputOptions): Promise<void> {
    const userAgent = parseUserAgentRule(text);
    const action = { operation: 'sources.user-agent', object: sourceIdentifier, details: { userAgent } };
    const source = await this.registry.change(action, async (writer, registry) =>
      viewSource(await writer.setUserAgent(sourceIdentifier, userAgent), registry),
    );
    const toText = (): string => `User agent: ${userAgent}; it holds within a second.\n\n${describeSource(source)}`;
    this.output.print(source, { json: json === true }, toText);
  }
}
