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
  /** Origins whose pages may send, see `acceptsOrigin`; pages of any when it is missing. */
  origins?: readonly string[];
}

/** Limits of what a source may send. A member that is missing leaves that to the gateway's own setting. */
export interface SourceLimits {
  /** Requests per second, above 0; 0 for as many as come, whatever the gateway's setting. */
  ratePerSecond?: number;
  /** Requests that may come at once, at least 1; without it those of one second. */
  burst?: number;
  /** Messages that are taken on one day, UTC. */
  dailyQuota?: number;
}

export const sourceTypes = ['tracking-api', 'web-sdk', 'android-sdk', 'ios-sdk', 'catalog-api'] as const;
export type SourceType = (typeof sourceTypes)[number];

/** Types whose key lies in pages and apps, where anybody can read it: such a source may track and identify only. */
const publicTypes: ReadonlySet<SourceType> = new Set(['web-sdk', 'android-sdk', 'ios-sdk']);
export const hasPublicKey = ({ type }: Pick<Source, 'type'>): boolean => publicTypes.has(type);

/** A key of a source, without the key: its hash only. Two are valid while rotating. */
export interface SourceKey {
  sourceIdentifier: string;
  keyId: string;
  /** SHA-256 of the apiKey, hex. */
  hash: string;
  /** ISO 8601 UTC. */
  createdAt: string;
  /** ISO 8601 UTC; a revoked key is kept to be seen, and opens nothing. */
  revokedAt?: string;
}
