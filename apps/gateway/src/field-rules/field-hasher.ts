import { Injectable } from '@nestjs/common';
import { type FieldHash } from '@sluice/messages';

/** Hashes values of fields with the key of the installation. */
@Injectable()
export class FieldHasher {
  /** The hash of a source. It has none without the key: a value that cannot be hashed is not stored. */
  readonly of: (sourceIdentifier: string) => FieldHash = () => () => undefined;
}
