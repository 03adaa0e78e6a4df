import { type FieldRuleSet } from '@sluice/contracts';

/** One origin of data: a website, a mobile app or a back end. See docs/api.md#sources-and-credentials. */
export interface Source {
  /** Public handle, 12 characters of `[A-Za-z0-9]`; part of every path. */
  sourceIdentifier: string;
  name: string;
  type: SourceType;
  /** Data of a disabled source is refused as if the source did not exist. */
  status: 'enabled' | 'disabled';
  /** ISO 8601 UTC. */
  createdAt: string;
  limits?: SourceLimits;
  /** Origins whose pages may send, see `acceptsOrigin`; pages of any origin may if it is missing. */
  origins?: readonly string[];
  /** `drop` when the user agent of the client is not stored; it is kept when this is missing. */
  userAgent?: 'drop';
  /** `on` when clients of Segment may send to the source (docs/segment.md); they may not when this is missing. */
  segment?: 'on';
  /** Rules for fields of its messages, applied before they are stored (docs/api.md#field-rules-and-consent). */
  pii?: FieldRuleSet;
  /** Id of the PRIVACY_KEY that values are hashed with; any key when it is missing. */
  piiKeyId?: string;
  /** The purpose that a message must grant to be stored; every message is stored when it is missing. */
  requireConsent?: string;
}

/** Limits on the data of a source. The gateway's own setting applies to a missing member. */
export interface SourceLimits {
  /** Requests per second; 0 means no limit, whatever the gateway's setting. */
  ratePerSecond?: number;
  /** Requests that can arrive at once, at least 1; without it, the requests of one second. */
  burst?: number;
  /** Messages accepted per UTC day, without those that `dailyPeopleQuota` counts. */
  dailyQuota?: number;
  /** Identify messages and registrations of devices accepted per UTC day; `dailyQuota` when it is missing. */
  dailyPeopleQuota?: number;
  /** Names in free-form objects that may be used on two UTC days in a row. */
  namesPerDay?: number;
}

export const sourceTypes = ['tracking-api', 'web-sdk', 'android-sdk', 'ios-sdk', 'catalog-api'] as const;
export type SourceType = (typeof sourceTypes)[number];

/** Types whose key is public, because it is part of pages or apps. Such a source can only track and identify. */
const publicTypes: ReadonlySet<SourceType> = new Set(['web-sdk', 'android-sdk', 'ios-sdk']);
export const hasPublicKey = ({ type }: Pick<Source, 'type'>): boolean => publicTypes.has(type);

/** A key of a source; only its hash is kept. Two keys are valid during a rotation. */
export interface SourceKey {
  sourceIdentifier: string;
  keyId: string;
  /** SHA-256 of the apiKey, hex. */
  hash: string;
  /** ISO 8601 UTC. */
  createdAt: string;
  /** ISO 8601 UTC. A revoked key stays listed, but is refused. */
  revokedAt?: string;
}
