import { type CompactedRecord } from '@sluice/kafka';
import { hashApiKey, isSameHash, isSameKey } from './api-key.js';
import { parseRecord, parseWatch, recordOfKey, recordOfSource, type RegistryRecord, watchedBy } from './records.js';
import { type Source, type SourceKey } from './source.js';

interface Entry {
  source: Source | undefined;
  keys: Map<string, HeldKey>;
}

interface HeldKey {
  key: SourceKey;
  hash: Buffer;
  /** The key itself, kept once a request has sent it, to save a hash for every request. It never leaves this class. */
  shown?: string;
  /** Set by a request, cleared by `takeUsedKeys`. */
  isUsed?: boolean;
}

/** All sources and their keys, held in memory and fed with the records of `sources.v1`. */
export class SourceRegistry {
  private entries = new Map<string, Entry>();
  /** Times until which sources are watched, milliseconds since 1970. */
  private watches = new Map<string, number>();

  /** Applies a record. Throws and changes nothing if it is not a record of the registry. */
  apply(recordKey: string, value: Buffer | null): void {
    const watched = watchedBy(recordKey);
    if (watched !== undefined) this.watch(watched, value);
    else if (value === null) this.remove(recordKey);
    else this.set(recordKey, value);
  }

  /** Takes over the entries of the other registry. Both share them from then on. Keys stay used. */
  become(other: SourceRegistry): void {
    for (const { sourceIdentifier, keyId } of this.takeUsedKeys()) {
      const held = other.entries.get(sourceIdentifier)?.keys.get(keyId);
      if (held) held.isUsed = true;
    }
    this.entries = other.entries;
    this.watches = other.watches;
  }

  get isEmpty(): boolean {
    for (const { source, keys } of this.entries.values()) if (source || keys.size > 0) return false;
    return true;
  }

  /** Records of all sources and keys. */
  records(): CompactedRecord[] {
    return [...this.entries.values()].flatMap(({ source, keys }) => [
      ...[...keys.values()].map(({ key }) => recordOfKey(key)),
      ...(source ? [recordOfSource(source)] : []),
    ]);
  }

  /** All sources with their keys, ordered by name, each as one record. */
  export(): RegistryRecord[] {
    return this.list().flatMap((source) => [
      { source },
      ...this.keysOf(source.sourceIdentifier).map((key): RegistryRecord => ({ key })),
    ]);
  }

  find(sourceIdentifier: string): Source | undefined {
    return this.entries.get(sourceIdentifier)?.source;
  }

  /** Time until which someone watches the source, milliseconds since 1970; 0 if nobody ever did. */
  watchedUntil(sourceIdentifier: string): number {
    return this.watches.get(sourceIdentifier) ?? 0;
  }

  /** The source, if it exists and is enabled. */
  findEnabled(sourceIdentifier: string): Source | undefined {
    const source = this.find(sourceIdentifier);
    return source?.status === 'enabled' ? source : undefined;
  }

  /** Keys of the source, oldest first, with the revoked ones. */
  keysOf(sourceIdentifier: string): SourceKey[] {
    const keys = [...(this.entries.get(sourceIdentifier)?.keys.values() ?? [])];
    return keys.map(({ key }) => key).sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  /** All sources, ordered by name. */
  list(): Source[] {
    const sources = [...this.entries.values()].flatMap(({ source }) => source ?? []);
    return sources.sort((a, b) => a.name.localeCompare(b.name));
  }

  /** Whether the key belongs to the source and is not revoked. The check takes the same time for every wrong key. */
  isKeyOf(sourceIdentifier: string, apiKey: string): boolean {
    const keys = this.entries.get(sourceIdentifier)?.keys;
    for (const held of keys?.values() ?? []) {
      if (held.shown === undefined || !isSameKey(apiKey, held.shown)) continue;
      held.isUsed = true;
      return held.key.revokedAt === undefined;
    }
    const given = hashApiKey(apiKey);
    let found = false;
    for (const held of keys?.values() ?? []) {
      if (!isSameHash(given, held.hash)) continue;
      held.shown = apiKey;
      held.isUsed = true;
      if (held.key.revokedAt === undefined) found = true;
    }
    return found;
  }

  /** Keys that requests have sent since the last call, revoked ones too. */
  takeUsedKeys(): SourceKey[] {
    const used = [...this.entries.values()].flatMap(({ keys }) => [...keys.values()]).filter(({ isUsed }) => isUsed);
    for (const held of used) held.isUsed = false;
    return used.map(({ key }) => key);
  }

  private watch(sourceIdentifier: string, value: Buffer | null): void {
    if (value === null) this.watches.delete(sourceIdentifier);
    else this.watches.set(sourceIdentifier, parseWatch(value));
  }

  private set(recordKey: string, value: Buffer): void {
    const record = parseRecord(recordKey, value);
    if ('source' in record) this.entryOf(record.source.sourceIdentifier).source = record.source;
    else {
      const { key } = record;
      const { keys } = this.entryOf(key.sourceIdentifier);
      const isUsed = keys.get(key.keyId)?.isUsed ?? false;
      keys.set(key.keyId, { key, hash: Buffer.from(key.hash, 'hex'), isUsed });
    }
  }

  private remove(recordKey: string): void {
    const [sourceIdentifier = '', keyId] = recordKey.split(':');
    const entry = this.entries.get(sourceIdentifier);
    if (!entry) return;
    if (keyId === undefined) entry.source = undefined;
    else entry.keys.delete(keyId);
  }

  private entryOf(sourceIdentifier: string): Entry {
    const known = this.entries.get(sourceIdentifier);
    if (known) return known;
    const entry: Entry = { source: undefined, keys: new Map() };
    this.entries.set(sourceIdentifier, entry);
    return entry;
  }
}
