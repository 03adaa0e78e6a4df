import { canarySource, isFieldPath, isFieldRule, isPurpose, maxFieldRules, withTopicPrefix } from '@sluice/contracts';
import { type CompactedRecord } from '@sluice/kafka';
import { type Source, type SourceKey, type SourceLimits, sourceTypes } from './source.js';

/** The compacted topic of the registry: a record per source, per key, and per watch. See docs/architecture.md#sources. */
export const sourcesTopic = withTopicPrefix('sources.v1');

export type RegistryRecord = { source: Source } | { key: SourceKey };

export const sourceRecord = (source: Source): CompactedRecord => ({
  key: source.sourceIdentifier,
  value: Buffer.from(JSON.stringify(source)),
});

export const keyRecord = (key: SourceKey): CompactedRecord => ({
  key: `${key.sourceIdentifier}:${key.keyId}`,
  value: Buffer.from(JSON.stringify(key)),
});

export const toRecord = (record: RegistryRecord): CompactedRecord =>
  'source' in record ? sourceRecord(record.source) : keyRecord(record.key);

const watchPrefix = 'watch:';

/** Record of the time until which someone watches a source, so that gateways keep more of what they refuse. */
export const watchRecord = (sourceIdentifier: string, until: Date): CompactedRecord => ({
  key: `${watchPrefix}${sourceIdentifier}`,
  value: Buffer.from(JSON.stringify({ until: until.toISOString() })),
});

/** The source that a record says is watched; undefined for all other records. */
export const parseWatchKey = (recordKey: string): string | undefined =>
  recordKey.startsWith(watchPrefix) ? recordKey.slice(watchPrefix.length) : undefined;

/** Time until which a source is watched, milliseconds since 1970. @throws when the record holds no time. */
export function parseWatch(value: Buffer): number {
  const { until } = JSON.parse(value.toString()) as { until?: unknown };
  const time = typeof until === 'string' ? Date.parse(until) : NaN;
  if (Number.isNaN(time)) throw new TypeError('no time until which a source is watched');
  return time;
}

/** The record's key in the topic, which is also its name for people. */
export const recordName = (record: RegistryRecord): string => toRecord(record).key;

/** @throws when the bytes are not a record of the registry. */
export function parseRegistryRecord(recordKey: string, value: Buffer): RegistryRecord {
  const record: unknown = JSON.parse(value.toString());
  if (isSource(record) && recordKey === record.sourceIdentifier) return { source: record };
  if (isKey(record) && recordKey === `${record.sourceIdentifier}:${record.keyId}`) return { key: record };
  throw new TypeError('neither a source nor a key');
}

/** Checks a record that comes from outside, such as a file. @throws TypeError when it is not one of the registry. */
export function checkRecord(value: unknown): RegistryRecord {
  const { source, key, ...otherMembers } = (isFields(value) ? value : {}) as { source?: unknown; key?: unknown };
  const isAlone = Object.keys(otherMembers).length === 0 && (source === undefined) !== (key === undefined);
  const record = isAlone && isSource(source) ? { source } : isAlone && isKey(key) ? { key } : undefined;
  const { sourceIdentifier = '' } = record && 'source' in record ? record.source : (record?.key ?? {});
  const isTaken = sourceIdentifier === canarySource;
  if (record === undefined || isTaken || !/^[A-Za-z0-9]{12}$/.test(sourceIdentifier)) {
    throw new TypeError('neither {"source":{…}} nor {"key":{…}} of the registry');
  }
  return record;
}

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const areText = (...values: unknown[]): boolean => values.every((value) => typeof value === 'string');

function isSource(value: unknown): value is Source {
  if (!isFields(value)) return false;
  const { sourceIdentifier, name, type, status, createdAt, limits, origins = [] } = value as Fields & Partial<Source>;
  const { userAgent, segment }: { userAgent?: unknown; segment?: unknown } = value;
  const hasKnownType =
    sourceTypes.some((sourceType) => sourceType === type) && (status === 'enabled' || status === 'disabled');
  return (
    hasKnownType &&
    areText(sourceIdentifier, name, createdAt) &&
    areLimits(limits) &&
    Array.isArray(origins) &&
    areText(...(origins as unknown[])) &&
    (userAgent === undefined || userAgent === 'drop') &&
    (segment === undefined || segment === 'on') &&
    hasPrivacyRules(value)
  );
}

/** An unknown rule is an error: if it were ignored, the field that it protects would be stored as it is. */
function hasPrivacyRules({ pii, piiKeyId, requireConsent }: Fields): boolean {
  const rules = pii === undefined ? [] : isFields(pii) && !Array.isArray(pii) ? Object.entries(pii) : undefined;
  const areRules =
    rules !== undefined &&
    rules.length <= maxFieldRules &&
    rules.every(([path, rule]) => isFieldPath(path) && isFieldRule(rule));
  if (piiKeyId !== undefined && typeof piiKeyId !== 'string') return false;
  return (
    areRules && (requireConsent === undefined || (typeof requireConsent === 'string' && isPurpose(requireConsent)))
  );
}

/** Ignores members that a later version may have added. */
function areLimits(limits: unknown): boolean {
  if (limits === undefined) return true;
  if (!isFields(limits)) return false;
  const { ratePerSecond = 0, burst = 1, namesPerDay = 1 } = limits as Fields & SourceLimits;
  const { dailyQuota = 0, dailyPeopleQuota = 0 } = limits as Fields & SourceLimits;
  const isRate = Number.isFinite(ratePerSecond) && ratePerSecond >= 0 && burst >= 1;
  return isRate && dailyQuota >= 0 && dailyPeopleQuota >= 0 && namesPerDay >= 1;
}

function isKey(value: unknown): value is SourceKey {
  if (!isFields(value)) return false;
  const { sourceIdentifier, keyId, hash, createdAt, revokedAt = '' } = value as Fields & Partial<SourceKey>;
  return areText(sourceIdentifier, keyId, createdAt, revokedAt) && /^[0-9a-f]{64}$/.test(hash ?? '');
}
