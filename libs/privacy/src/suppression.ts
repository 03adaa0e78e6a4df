import { withTopicPrefix, sourceIdentifierPattern } from '@sluice/contracts';
import { type CompactedRecord } from '@sluice/kafka';
import { type IdKind } from './privacy-key.js';

/** The compacted topic of suppressed ids: a record per source and id, which holds hashes of the id, never the id. */
export const suppressionsTopic = withTopicPrefix('suppressions.v1');

/** `suppress` lasts until it is taken back; `erase` until its erasure is verified. */
export type SuppressionMode = 'suppress' | 'erase';

/** A suppressed id: messages of it that arrived before `until` are dropped, all of them while there is no `until`. */
export interface Suppression {
  /** Names the key that made the hash. */
  readonly keyId: string;
  /** murmur2 of the Kafka key `source:id`, as a signed integer. */
  readonly murmur2: number;
  readonly mode: SuppressionMode;
  /** All times here are milliseconds since 1970. */
  readonly requestedAt: number;
  readonly until?: number | undefined;
  /** The id of the request that asked for the suppression, or of the erasure. */
  readonly request: string;
  /** Whether an erasure has ever relied on the record. It is then never deleted: a replay would bring the person back. */
  readonly wasErased: boolean;
}

/** Names a suppressed id without revealing it. */
export interface SuppressedId {
  readonly source: string;
  readonly kind: IdKind;
  readonly hash: string;
}

const hashPattern = /^[A-Za-z0-9_-]{22}$/;

export const suppressionKey = ({ source, kind, hash }: SuppressedId): string => `${source}:${kind}:${hash}`;

/** @throws TypeError when it is not the key of a suppressed id. */
export function parseSuppressionKey(key: string): SuppressedId {
  const [source = '', kind, hash = '', ...extraParts] = key.split(':');
  const isRight = sourceIdentifierPattern.test(source) && hashPattern.test(hash) && extraParts.length === 0;
  if (!isRight || (kind !== 'user' && kind !== 'anonymous')) throw new TypeError('not the key of a suppressed id');
  return { source, kind, hash };
}

export function suppressionRecord(id: SuppressedId, suppression: Suppression): CompactedRecord {
  const { keyId, murmur2, mode, requestedAt, until, request, wasErased } = suppression;
  const value = {
    key_id: keyId,
    murmur2: murmur2 >>> 0,
    mode,
    requested_at: new Date(requestedAt).toISOString(),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
    request,
    ...(wasErased && { was_erased: true }),
  };
  return { key: suppressionKey(id), value: Buffer.from(JSON.stringify(value)) };
}

/** Ignores members that a later version may have added. @throws when the text is not a suppression. */
export function parseSuppression(text: string): Suppression {
  const members = (JSON.parse(text) ?? {}) as Record<string, unknown>;
  const { key_id: keyId, murmur2, mode, requested_at: requestedAt, until, request, was_erased: wasErased } = members;
  if (typeof keyId !== 'string' || typeof request !== 'string' || (mode !== 'suppress' && mode !== 'erase'))
    throw new TypeError('not a suppression');
  if (typeof murmur2 !== 'number' || murmur2 !== murmur2 >>> 0) throw new TypeError('murmur2 is not a hash');
  return {
    keyId,
    murmur2: murmur2 | 0,
    mode,
    requestedAt: requireTime(requestedAt),
    ...(until !== undefined && { until: requireTime(until) }),
    request,
    wasErased: wasErased === true,
  };
}

function requireTime(text: unknown): number {
  const time = typeof text === 'string' ? Date.parse(text) : NaN;
  if (Number.isNaN(time)) throw new TypeError('not a time');
  return time;
}
