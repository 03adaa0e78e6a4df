import { type CompactedRecord } from '@sluice/kafka';
import { hashApiKey, isSameHash, isSameKey } from './api-key.js';
import {
  parseRegistryRecord,
  parseWatch,
  keyRecord,
  sourceRecord,
  type RegistryRecord,
  parseWatchKey,
} from './records.js';
import { type Source, type SourceKey } from './source.js';

interface Entry {
  source: Source | undefined;
  keys: Map<string, KeyEntry>;
}

interface KeyEntry {
  key: SourceKey;
  hash: Buffer;
  /** The key itself, kept once a request has sent it, to save a hash for every request. It never leaves this class. */
  sentKey?: string;
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
    const watchedSource = parseWatchKey(recordKey);
    if (watchedSource !== undefined) this.watch(watchedSource, value);
    else if (value === null) this.remove(recordKey);
    else this.set(recordKey, value);
  }

  /** Takes over the entries of the replacement. Both share them from then on. Keys stay used. */
  become(replacement: SourceRegistry): void {
    for (const { sourceIdentifier, keyId } of this.takeUsedKeys()) {
      const keyEntry = replacement.entries.get(sourceIdentifier)?.keys.get(keyId);
      if (keyEntry) keyEntry.isUsed = true;
    }
    this.entries = replacement.entries;
    this.watches = replacement.watches;
  }

  get isEmpty(): boolean {
    for (const { source, keys } of this.entries.values()) if (source || keys.size > 0) return false;
    return true;
  }

  /** Records of all sources and keys. */
  records(): CompactedRecord[] {
    return [...this.entries.values()].flatMap(({ source, keys }) => [
      ...[...keys.values()].map(({ key }) => keyRecord(key)),
      ...(source ? [sourceRecord(source)] : []),
    ]);
  }

  /** All sources with their keys, ordered by name, each as one record. */
  export(): RegistryRecord[] {
    return this.list().flatMap((source) => [
      { source },
      ...this.listKeys(source.sourceIdentifier).map((key): RegistryRecord => ({ key })),
    ]);
  }

  find(sourceIdentifier: string): Source | undefined {
    return this.entries.get(sourceIdentifier)?.source;
  }

  /** The name of a source; empty if it is not known. */
  nameOf(sourceIdentifier: string): string {
    return this.find(sourceIdentifier)?.name ?? '';
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
  listKeys(sourceIdentifier: string): SourceKey[] {
    const keys = [...(this.entries.get(sourceIdentifier)?.keys.values() ?? [])];
    return keys.map(({ key }) => key).sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  /** All sources, ordered by name. */
  list(): Source[] {
    const sources = [...this.entries.values()].flatMap(({ source }) => source ?? []);
    return sources.sort((a, b) => a.name.localeCompare(b.name));
  }

  /** Whether the key belongs to the source and is not revoked. The check takes the same time for every wrong key. */
  isValidKey(sourceIdentifier: string, apiKey: string): boolean {
    const keys = this.entries.get(sourceIdentifier)?.keys;
    for (const keyEntry of keys?.values() ?? []) {
      if (keyEntry.sentKey === undefined || !isSameKey(apiKey, keyEntry.sentKey)) continue;
      keyEntry.isUsed = true;
      return keyEntry.key.revokedAt === undefined;
    }
    const sentHash = hashApiKey(apiKey);
    let isValid = false;
    for (const keyEntry of keys?.values() ?? []) {
      if (!isSameHash(sentHash, keyEntry.hash)) continue;
      keyEntry.sentKey = apiKey;
      keyEntry.isUsed = true;
      if (keyEntry.key.revokedAt === undefined) isValid = true;
    }
    return isValid;
  }

  /** A key of any source by itself, also a revoked one. It looks at all keys: a request is checked by `isValidKey`. */
  findKey(apiKey: string): SourceKey | undefined {
    const sentHash = hashApiKey(apiKey).toString('hex');
    for (const { keys } of this.entries.values())
      for (const { key } of keys.values()) if (key.hash === sentHash) return key;
    return undefined;
  }

  /** Keys that requests have sent since the last call, revoked ones too. */
  takeUsedKeys(): SourceKey[] {
    const usedEntries = [...this.entries.values()]
      .flatMap(({ keys }) => [...keys.values()])
      .filter(({ isUsed }) => isUsed);
    for (const keyEntry of usedEntries) keyEntry.isUsed = false;
    return usedEntries.map(({ key }) => key);
  }

  private watch(sourceIdentifier: string, value: Buffer | null): void {
    if (value === null) this.watches.delete(sourceIdentifier);
    else this.watches.set(sourceIdentifier, parseWatch(value));
  }

  private set(recordKey: string, value: Buffer): void {
    const record = parseRegistryRecord(recordKey, value);
    if ('source' in record) this.ensureEntry(record.source.sourceIdentifier).source = record.source;
    else {
      const { key } = record;
      const { keys } = this.ensureEntry(key.sourceIdentifier);
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

  private ensureEntry(sourceIdentifier: string): Entry {
    const existing = this.entries.get(sourceIdentifier);
    if (existing) return existing;
    const entry: Entry = { source: undefined, keys: new Map() };
    this.entries.set(sourceIdentifier, entry);
    return entry;
  }
}
