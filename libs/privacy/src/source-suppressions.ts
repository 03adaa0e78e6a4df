import { PrefixedKeyHash } from '@sluice/contracts';
import { type CompactedRecord } from '@sluice/kafka';
import { type KeyHashes } from './key-hashes.js';
import { type MessageIds } from './message-ids.js';
import { type IdKind, type PrivacyKey } from './privacy-key.js';
import { parseSuppression, type Suppression } from './suppression.js';

/** Suppressed ids of one source. Most messages pass by a number alone: the hash of their Kafka key. */
export class SourceSuppressions {
  /** Values of the records as texts, by kind and keyed hash: hardly any is ever parsed again. */
  private readonly ids = new Map<string, string>();
  private anonymousCount = 0;
  /** Hashes the Kafka keys `source:id`. */
  private readonly kafkaKeys: PrefixedKeyHash;

  /** @param keyHashes hashes of the Kafka keys of all sources */
  constructor(
    readonly source: string,
    private readonly key: PrivacyKey | undefined,
    private readonly keyHashes: KeyHashes,
  ) {
    this.kafkaKeys = new PrefixedKeyHash(`${source}:`);
  }

  get size(): number {
    return this.ids.size;
  }

  /** Whether anonymous ids are suppressed too: both ids of a message must then be checked. */
  get hasAnonymous(): boolean {
    return this.anonymousCount > 0;
  }

  *records(): Generator<CompactedRecord> {
    for (const [name, text] of this.ids) yield { key: `${this.source}:${name}`, value: Buffer.from(text) };
  }

  get(kind: IdKind, hash: string): Suppression | undefined {
    const text = this.ids.get(`${kind}:${hash}`);
    return text === undefined ? undefined : parseSuppression(text);
  }

  /**
   * @param text value of the record
   * @param murmur2 hash of the Kafka key of the id's messages
   */
  set(kind: IdKind, hash: string, text: string, murmur2: number): void {
    this.delete(kind, hash);
    this.ids.set(`${kind}:${hash}`, text);
    this.keyHashes.add(murmur2);
    if (kind === 'anonymous') this.countAnonymous(1);
  }

  delete(kind: IdKind, hash: string): void {
    const present = this.get(kind, hash);
    if (!present) return;
    this.ids.delete(`${kind}:${hash}`);
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
  drops(ids: MessageIds, receivedAt: number, keyHash?: number): boolean {
    const { userId, anonymousId, profileId, previousId, groupId } = ids;
    if (profileId && this.holds('user', profileId, receivedAt)) return true;
    if (previousId && this.holds('user', previousId, receivedAt)) return true;
    if (groupId && this.holds('user', groupId, receivedAt)) return true;
    if (userId) {
      if (this.holds('user', userId, receivedAt, keyHash)) return true;
      return this.anonymousCount > 0 && !!anonymousId && this.holds('anonymous', anonymousId, receivedAt);
    }
    return this.anonymousCount > 0 && !!anonymousId && this.holds('anonymous', anonymousId, receivedAt, keyHash);
  }

  private countAnonymous(change: number): void {
    this.anonymousCount += change;
    this.keyHashes.anonymousCount += change;
  }

  private holds(kind: IdKind, id: string, receivedAt: number, keyHash = this.kafkaKeys.hash(id)): boolean {
    if (!this.mayHold(keyHash) || !this.key) return false;
    const suppression = this.get(kind, this.key.hash(kind, id));
    return suppression !== undefined && (suppression.until === undefined || receivedAt < suppression.until);
  }
}
