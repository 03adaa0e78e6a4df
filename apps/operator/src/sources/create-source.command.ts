import { type Source, type SourceType, sourceTypes } from '@sluice/sources';
import { parseName, parseOrigins, parseType, type SourceView, viewSource } from '@sluice/operations';
import { Option, SubCommand } from 'nest-commander';
import { publicUrlVariables } from '../config.js';
import { Connection } from '../connection/connection.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { formatFields } from '../terminal-text.js';
import { RegistryAccess } from './registry-access.js';
import { hostFields, keepKeyNotice, writeKeyFields } from './source-view.js';

type CreatedSource = SourceView & { keyId: string; apiKey: string };

@SubCommand({ name: 'create', description: 'Create a source and show its key, once' })
export class CreateSourceCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly registry: RegistryAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run(
    _: string[],
    {
      name,
      type,
      origins,
      segment,
      ...options
    }: OutputOptions & Pick<Source, 'name' | 'type' | 'segment'> & { origins?: string[] | 'any' },
  ): Promise<void> {
    const settings = { type, ...(Array.isArray(origins) && { origins }), ...(segment && { segment }) };
    const action = { operation: 'sources.create', object: name, details: settings };
    const created = await this.registry.change(action, async (writer, registry): Promise<CreatedSource> => {
      const { source, key, apiKey } = await writer.create({ name, ...settings });
      return { ...viewSource(source, registry), keyId: key.keyId, apiKey };
    });
    const { GATEWAY_PUBLIC_URL: host } = this.connection.read(publicUrlVariables);
    this.output.print(created, options, (view) => toText(view, host));
  }

  @Option({ flags: '--name <name>', description: 'Name of the source', required: true })
  parseName(text: string): string {
    return parseName(text);
  }

  @Option({ flags: '--origins <origins>', description: 'Origins whose pages may send, with commas; any by default' })
  parseOrigins(text: string): string[] | 'any' {
    return parseOrigins(text);
  }

  @Option({ flags: '--segment', description: 'Clients of Segment may send to it as well: docs/segment.md' })
  parseSegment(): 'on' {
    return 'on';
  }

  @Option({ flags: `--type <${sourceTypes.join('|')}>`, description: 'Type of the source', required: true })
  parseType(text: string): SourceType {
    return parseType(text);
  }
}

const toText = ({ keyId, apiKey, ...source }: CreatedSource, host: string): string =>
  [
    'Source created; it works within a second.',
    formatFields(
      ['source', source.sourceIdentifier],
      ['name', source.name],
      ['type', source.type],
      ['key id', keyId],
      ['API key', apiKey],
      ...hostFields(source, host),
      ...writeKeyFields(source, apiKey),
    ),
    keepKeyNotice,
  ].join('\n\n');
