import { type CompactedRecord } from '@sluice/kafka';
import { idsIn } from './ids-in.js';
import { KeyHashes } from './key-hashes.js';
import { type PrivacyKey } from './privacy-key.js';
import { type MessageIds, SourceSuppressions } from './source-suppressions.js';
import { parseSuppression, parseSuppressionKey, type SuppressedId, type Suppression } from './suppression.js';

/** All suppressed ids, held in memory and fed with the records of `suppressions.v1`. */
export class SuppressionRegistry {
  private sources = new Map<string, SourceSuppressions>();
  private hashes = new KeyHashes();
  /** Records that cannot be used, by their key: of another privacy key, or unreadable. */
  private unusable = new Map<string, { readonly value: Buffer; readonly isOfOtherKey: boolean }>();

  constructor(private readonly key: PrivacyKey | undefined) {}

  /** Applies a record. One that cannot be used is counted, and leaves in force what was known of its id before. */
  apply(key: string, value: Buffer | null): void {
    this.unusable.delete(key);
    const id = idOf(key);
    if (value === null) {
      if (id) this.remove(id);
      return;
    }
    const text = value.toString();
    const suppression = id && read(text);
    if (id && suppression && suppression.keyId === this.key?.id)
      this.entryOf(id.source).set(id.kind, id.hash, text, suppression.murmur2);
    else this.unusable.set(key, { value, isOfOtherKey: suppression !== undefined });
  }

  become(other: SuppressionRegistry): void {
    this.sources = other.sources;
    this.hashes = other.hashes;
    this.unusable = other.unusable;
  }

  /** Records that rebuild this registry. The newer one of a key comes last. */
  *records(): Generator<CompactedRecord> {
    for (const one of this.sources.values()) yield* one.records();
    for (const [key, { value }] of this.unusable) yield { key, value };
  }

  get size(): number {
    let size = 0;
    for (const one of this.sources.values()) size += one.size;
    return size;
  }

  /** Hashes of the Kafka keys of all suppressed ids. */
  get keyHashes(): KeyHashes {
    return this.hashes;
  }

  /** Number of records that cannot be used. */
  get unusableRecords(): number {
    return this.unusable.size;
  }

  /** Whether records were made with a privacy key that this process does not have. */
  get hasOtherKeys(): boolean {
    for (const { isOfOtherKey } of this.unusable.values()) if (isOfOtherKey) return true;
    return false;
  }

  get isEmpty(): boolean {
    return this.sources.size === 0 && this.unusable.size === 0;
  }

  /** Suppressed ids of a source; undefined when it has none, as most sources do. */
  of(source: string): SourceSuppressions | undefined {
    return this.sources.get(source);
  }

  find({ source, kind, hash }: SuppressedId): Suppression | undefined {
    return this.sources.get(source)?.get(kind, hash);
  }

  /** Whether a message is dropped; see SourceSuppressions.drops. */
  drops(source: string, ids: MessageIds, receivedAt: number): boolean {
    return this.sources.get(source)?.drops(ids, receivedAt) ?? false;
  }

  /** Whether a text that a client sent to a source, JSON or not, names someone whose messages are dropped there. */
  isNamedIn(text: string, source: string, receivedAt: number): boolean {
    const known = this.sources.get(source);
    if (!known || text === '') return false;
    return idsIn(text).some(
      (id) => known.drops({ userId: id }, receivedAt) || known.drops({ anonymousId: id }, receivedAt),
    );
  }

  private remove(id: SuppressedId): void {
    const entry = this.sources.get(id.source);
    entry?.delete(id.kind, id.hash);
    if (entry?.size === 0) this.sources.delete(id.source);
  }

  private entryOf(source: string): SourceSuppressions {
    const known = this.sources.get(source);
    if (known) return known;
    const created = new SourceSuppressions(source, this.key, this.hashes);
    this.sources.set(source, created);
    return created;
  }
}

function idOf(key: string): SuppressedId | undefined {
  try {
    return parseSuppressionKey(key);
  } catch {
    return undefined;
  }
}

function read(text: string): Suppression | undefined {
  try {
    return parseSuppression(text);
  } catch {
    return undefined;
  }
}
