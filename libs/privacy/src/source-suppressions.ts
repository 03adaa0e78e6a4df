import { hashOfKey } from '@sluice/contracts';
import { type KeyHashes } from './key-hashes.js';
import { type IdKind, type PrivacyKey } from './privacy-key.js';
import { type Suppression } from './suppression.js';

/** The ids of a message; undefined and empty ids are none. */
export interface MessageIds {
  readonly userId?: string | null | undefined;
  readonly anonymousId?: string | null | undefined;
}

/** Suppressed ids of one source. Most messages are let pass by a number alone: the hash of a Kafka key. */
export class SourceSuppressions {
  /** By kind and keyed hash. */
  private readonly ids = new Map<string, Suppression>();
  private anonymous = 0;

  /** @param keyHashes those of all sources */
  constructor(
    readonly source: string,
    private readonly key: PrivacyKey | undefined,
    private readonly keyHashes: KeyHashes,
  ) {}

  get size(): number {
    return this.ids.size;
  }

  /** Whether anonymous ids are suppressed too: a message with a user id must then be asked about both. */
  get hasAnonymous(): boolean {
    return this.anonymous > 0;
  }

  *entries(): Iterable<{ kind: IdKind; hash: string; suppression: Suppression }> {
    for (const [name, suppression] of this.ids) {
      const colon = name.indexOf(':');
      yield { kind: name.slice(0, colon) as IdKind, hash: name.slice(colon + 1), suppression };
    }
  }

  get(kind: IdKind, hash: string): Suppression | undefined {
    return this.ids.get(`${kind}:${hash}`);
  }

  set(kind: IdKind, hash: string, suppression: Suppression): void {
    this.delete(kind, hash);
    this.ids.set(`${kind}:${hash}`, suppression);
    this.keyHashes.add(suppression.murmur2);
    if (kind === 'anonymous') this.countAnonymous(1);
  }

  delete(kind: IdKind, hash: string): void {
    const name = `${kind}:${hash}`;
    const present = this.ids.get(name);
    if (!present) return;
    this.ids.delete(name);
    this.keyHashes.remove(present.murmur2);
    if (kind === 'anonymous') this.countAnonymous(-1);
  }

  /** False when no id with this Kafka key is suppressed; one key in 40,000 is a false alarm with 100,000 ids. */
  mayHold(keyHash: number): boolean {
    return this.keyHashes.has(keyHash);
  }

  /**
   * Whether a message of these ids is dropped.
   * @param receivedAt when it arrived, in milliseconds since 1970
   * @param keyHash hash of `source:userId`, or of `source:anonymousId` without a user id, if it is known
   */
  drops({ userId, anonymousId }: MessageIds, receivedAt: number, keyHash?: number): boolean {
    if (userId) {
      if (this.holds('user', userId, receivedAt, keyHash)) return true;
      return this.anonymous > 0 && !!anonymousId && this.holds('anonymous', anonymousId, receivedAt);
    }
    return this.anonymous > 0 && !!anonymousId && this.holds('anonymous', anonymousId, receivedAt, keyHash);
  }

  private countAnonymous(by: number): void {
    this.anonymous += by;
    this.keyHashes.anonymous += by;
  }

  private holds(kind: IdKind, id: string, receivedAt: number, keyHash = hashOfKey(`${this.source}:${id}`)): boolean {
    if (!this.mayHold(keyHash) || !this.key) return false;
    const suppression = this.ids.get(`${kind}:${this.key.hash(kind, id)}`);
    return suppression !== undefined && (suppression.until === undefined || receivedAt < suppression.until);
  }
}
