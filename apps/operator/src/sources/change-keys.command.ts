import { type Source, type SourceKey } from '@sluice/sources';
import { Option, SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { formatFields, formatTime } from '../terminal-text.js';
import { RegistryAccess } from './registry-access.js';
import { keepKeyNotice, writeKeyFields } from './source-view.js';

@SubCommand({
  name: 'rotate-key',
  arguments: '<sourceIdentifier>',
  description: 'Issue a second key and show it, once; the first stays valid until it is revoked',
})
export class RotateKeyCommand extends PrintingCommand {
  constructor(
    private readonly registry: RegistryAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run([sourceIdentifier]: [string], options: OutputOptions): Promise<void> {
    const action = { operation: 'sources.rotate-key', object: sourceIdentifier };
    const { key, apiKey, source } = await this.registry.change(action, async (writer) => ({
      ...(await writer.rotateKey(sourceIdentifier)),
      source: writer.get(sourceIdentifier),
    }));
    const { keyId, createdAt } = key;
    const toText = (): string => describeNewKey(source, keyId, apiKey);
    this.output.print({ sourceIdentifier, keyId, createdAt, apiKey }, options, toText);
  }
}

const describeNewKey = (source: Source, keyId: string, apiKey: string): string =>
  [
    'Key issued; it works within a second. Other keys stay valid until they are revoked.',
    formatFields(
      ['source', source.sourceIdentifier],
      ['key id', keyId],
      ['API key', apiKey],
      ...writeKeyFields(source, apiKey),
    ),
    keepKeyNotice,
  ].join('\n\n');

type RevokedKey = Required<Pick<SourceKey, 'sourceIdentifier' | 'keyId' | 'revokedAt'>>;

@SubCommand({
  name: 'revoke-key',
  arguments: '<sourceIdentifier>',
  description: 'Revoke a key permanently',
})
export class RevokeKeyCommand extends PrintingCommand {
  constructor(
    private readonly registry: RegistryAccess,
    private readonly output: Output,
  ) {
    super();
  }

  async run([sourceIdentifier]: [string], { keyId, ...options }: OutputOptions & { keyId: string }): Promise<void> {
    const action = { operation: 'sources.revoke-key', object: sourceIdentifier, details: { keyId } };
    const revoked = await this.registry.change(action, (writer) => writer.revokeKey(sourceIdentifier, keyId));
    this.output.print({ sourceIdentifier, keyId, revokedAt: revoked.revokedAt ?? '' }, options, describeRevoked);
  }

  @Option({ flags: '--key-id <keyId>', description: 'Id of the key; see `sources show`', required: true })
  parseKeyId(text: string): string {
    return text;
  }
}

const describeRevoked = ({ keyId, sourceIdentifier, revokedAt }: RevokedKey): string =>
  `Key ${keyId} of source ${sourceIdentifier} is revoked as of ${formatTime(revokedAt)}; it stops working within a second.`;
