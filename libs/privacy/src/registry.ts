import { type CompactedRecord } from '@sluice/kafka';
import { findIds } from './ids-in.js';
import { KeyHashes } from './key-hashes.js';
import { type MessageIds } from './message-ids.js';
import { type PrivacyKey } from './privacy-key.js';
import { SourceSuppressions } from './source-suppressions.js';
import { parseSuppression, parseSuppressionKey, type SuppressedId, type Suppression } from './suppression.js';

/** All suppressed ids, held in memory and fed with the records of `suppressions.v1`. */
export class SuppressionRegistry {
  private sources = new Map<string, SourceSuppressions>();
  private hashes = new KeyHashes();
  /** Records that cannot be used, by their key: of another privacy key, or unreadable. */
  private unusable = new Map<string, { readonly value: Buffer; readonly hasOtherKey: boolean }>();

  constructor(private readonly key: PrivacyKey | undefined) {}

  /** Applies a record. A record that cannot be used is counted; the earlier record of its id stays in force. */
  apply(key: string, value: Buffer | null): void {
    this.unusable.delete(key);
    const id = tryParseKey(key);
    if (value === null) {
      if (id) this.remove(id);
      return;
    }
    const text = value.toString();
    const suppression = id && tryParseSuppression(text);
    if (id && suppression && suppression.keyId === this.key?.id)
      this.ensureEntry(id.source).set(id.kind, id.hash, text, suppression.murmur2);
    else this.unusable.set(key, { value, hasOtherKey: suppression !== undefined });
  }

  become(replacement: SuppressionRegistry): void {
    this.sources = replacement.sources;
    this.hashes = replacement.hashes;
    this.unusable = replacement.unusable;
  }

  /** Records that rebuild this registry. The newer one of a key comes last. */
  *records(): Generator<CompactedRecord> {
    for (const suppressions of this.sources.values()) yield* suppressions.records();
    for (const [key, { value }] of this.unusable) yield { key, value };
  }

  get size(): number {
    let size = 0;
    for (const suppressions of this.sources.values()) size += suppressions.size;
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
    for (const { hasOtherKey } of this.unusable.values()) if (hasOtherKey) return true;
    return false;
  }

  get isEmpty(): boolean {
    return this.sources.size === 0 && this.unusable.size === 0;
  }

  /** Suppressed ids of a source; undefined when it has none, as most sources do. */
  forSource(source: string): SourceSuppressions | undefined {
    return this.sources.get(source);
  }

  find({ source, kind, hash }: SuppressedId): Suppression | undefined {
    return this.sources.get(source)?.get(kind, hash);
  }

  /** Whether a message is dropped; see SourceSuppressions.drops. */
  drops(source: string, ids: MessageIds, receivedAt: number): boolean {
    return this.sources.get(source)?.drops(ids, receivedAt) ?? false;
  }

  /**
   * Whether a text that a client sent to a source, JSON or not, names someone whose messages are dropped there.
   * @param source empty if it is not known: those of all sources are dropped then
   */
  isAnyoneNamedIn(text: string, source: string, receivedAt: number): boolean {
    const ownSuppressions = this.sources.get(source);
    const suppressions = source === '' ? [...this.sources.values()] : ownSuppressions ? [ownSuppressions] : [];
    if (suppressions.length === 0 || text === '') return false;
    const ids = findIds(text);
    return suppressions.some((entry) =>
      ids.some((id) => entry.drops({ userId: id }, receivedAt) || entry.drops({ anonymousId: id }, receivedAt)),
    );
  }

  private remove(id: SuppressedId): void {
    const entry = this.sources.get(id.source);
    entry?.delete(id.kind, id.hash);
    if (entry?.size === 0) this.sources.delete(id.source);
  }

  private ensureEntry(source: string): SourceSuppressions {
    const existing = this.sources.get(source);
    if (existing) return existing;
    const created = new SourceSuppressions(source, this.key, this.hashes);
    this.sources.set(source, created);
    return created;
  }
}

function tryParseKey(key: string): SuppressedId | undefined {
  try {
    return parseSuppressionKey(key);
  } catch {
    return undefined;
  }
}

function tryParseSuppression(text: string): Suppression | undefined {
  try {
    return parseSuppression(text);
  } catch {
    return undefined;
  }
}
