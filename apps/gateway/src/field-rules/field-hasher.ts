import { Logger } from '@nestjs/common';
import { type FieldHash } from '@sluice/messages';
import { type PrivacyKey } from '@sluice/privacy';
import { Counter, type Registry } from '@sluice/service';
import { type Source } from '@sluice/sources';

/** Hashes values of fields with the key of the installation. A value that cannot be hashed is not stored. */
export class FieldHasher {
  private readonly logger = new Logger(FieldHasher.name);
  private readonly droppedValues: Counter;

  constructor(
    private readonly key: PrivacyKey | undefined,
    registry: Registry,
  ) {
    this.droppedValues = new Counter({
      name: 'sluice_gateway_unhashed_values_total',
      help: 'Values that a rule of their source would hash, and that were dropped because PRIVACY_KEY is missing or another one',
      registers: [registry],
    });
  }

  /** Returns the hash function of a source; its result is undefined without a key, or if the rules name another key. */
  makeHash({ sourceIdentifier, pii = {}, piiKeyId }: Pick<Source, 'sourceIdentifier' | 'pii' | 'piiKeyId'>): FieldHash {
    const { key } = this;
    if (key && (piiKeyId === undefined || piiKeyId === key.id))
      return (value) => key.hashField(sourceIdentifier, value);
    if (Object.values(pii).includes('hash'))
      this.logger.error({
        msg: 'values that a rule would hash are dropped: PRIVACY_KEY is missing, or not the one of the rules',
        source: sourceIdentifier,
      });
    return () => {
      this.droppedValues.inc();
      return undefined;
    };
  }
}
