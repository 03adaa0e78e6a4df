import { type SourceKey } from '@sluice/sources';
import { Option, SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { shortTime } from './source-text.js';
import { Sources } from './sources.js';

type RevokedKey = Required<Pick<SourceKey, 'sourceIdentifier' | 'keyId' | 'revokedAt'>>;

@SubCommand({
  name: 'revoke-key',
  arguments: '<sourceIdentifier>',
  description: 'Make a key stop working, for good',
})
export class RevokeKeyCommand extends PrintingCommand {
  constructor(
    private readonly sources: Sources,
    private readonly output: Output,
  ) {
    super();
  }

  async run([sourceIdentifier]: [string], { keyId, ...options }: OutputOptions & { keyId: string }): Promise<void> {
    const revoked = await this.sources.use((writer) => writer.revokeKey(sourceIdentifier, keyId));
    this.output.print({ sourceIdentifier, keyId, revokedAt: revoked.revokedAt ?? '' }, options, toText);
  }

  @Option({ flags: '--key-id <keyId>', description: 'Which key; `sources show` lists them', required: true })
  parseKeyId(text: string): string {
    return text;
  }
}

const toText = ({ keyId, sourceIdentifier, revokedAt }: RevokedKey): string =>
  `Key ${keyId} of source ${sourceIdentifier} is revoked as of ${shortTime(revokedAt)}; it stops working within a second.`;
