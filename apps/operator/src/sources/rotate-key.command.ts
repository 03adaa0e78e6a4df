import { type SourceKey } from '@sluice/sources';
import { SubCommand } from 'nest-commander';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { fields, shownOnce } from './source-text.js';
import { Sources } from './sources.js';

type NewKey = Pick<SourceKey, 'sourceIdentifier' | 'keyId' | 'createdAt'> & { apiKey: string };

@SubCommand({
  name: 'rotate-key',
  arguments: '<sourceIdentifier>',
  description: 'Issue a second key and show it, once; the first stays valid until it is revoked',
})
export class RotateKeyCommand extends PrintingCommand {
  constructor(
    private readonly sources: Sources,
    private readonly output: Output,
  ) {
    super();
  }

  async run([sourceIdentifier]: [string], options: OutputOptions): Promise<void> {
    const { key, apiKey } = await this.sources.use((writer) => writer.rotateKey(sourceIdentifier));
    const { keyId, createdAt } = key;
    this.output.print({ sourceIdentifier, keyId, createdAt, apiKey }, options, toText);
  }
}

const toText = ({ sourceIdentifier, keyId, apiKey }: NewKey): string =>
  [
    'Key issued; it works within a second. Other keys stay valid until they are revoked.',
    fields(['source', sourceIdentifier], ['key id', keyId], ['API key', apiKey]),
    shownOnce,
  ].join('\n\n');
