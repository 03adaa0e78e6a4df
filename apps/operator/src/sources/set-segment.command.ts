import { parseSwitch, viewSource } from '@sluice/operations';
import { SubCommand } from 'nest-commander';
import { publicUrlVariables } from '../config.js';
import { Connection } from '../connection/connection.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { RegistryAccess } from './registry-access.js';
import { describeSource } from './source-view.js';

@SubCommand({
  name: 'segment',
  arguments: '<sourceIdentifier> <on|off>',
  description: 'Let clients of Segment send to the source as well, or no longer: docs/segment.md',
})
export class SetSegmentCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly registry: RegistryAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run([sourceIdentifier, text]: [string, string], { json }: OutputOptions): Promise<void> {
    const segment = parseSwitch('segment', text);
    const action = { operation: 'sources.segment', object: sourceIdentifier, details: { segment } };
    const source = await this.registry.change(action, async (writer, registry) =>
      viewSource(await writer.setSegment(sourceIdentifier, segment), registry),
    );
    const { GATEWAY_PUBLIC_URL: host } = this.connection.read(publicUrlVariables);
    const toText = (): string => `${segment === 'on' ? acceptedText : refusedText}\n\n${describeSource(source, host)}`;
    this.output.print(source, { json: json === true }, toText);
  }
}

const acceptedText =
  'Clients of Segment may send to it within a second. Their write key is the source, "_" and an API key: <source>_<API key>.';
const refusedText = 'Clients of Segment are refused within a second.';
