import { type PageQuery } from './page.js';
import { type RefusedGroup, type RefusedRequest } from './refused.js';
import { type Series, type SourceLook } from './status.js';

export type SourceType = 'tracking-api' | 'web-sdk' | 'android-sdk' | 'ios-sdk' | 'catalog-api';

export interface KeyView {
  keyId: string;
  createdAt: string;
  revokedAt?: string;
  /** Time of its last accepted request; null when it was not used in 30 days, missing when that is unknown. */
  lastUsedAt?: string | null;
}

export interface SourceLimits {
  /** Requests per second; 0 means no limit. */
  ratePerSecond?: number;
  burst?: number;
  /** Messages accepted per UTC day, without those that `dailyPeopleQuota` counts. */
  dailyQuota?: number;
  /** Identify messages and registrations of devices accepted per UTC day; `dailyQuota` when it is missing. */
  dailyPeopleQuota?: number;
  /** Names in free-form objects that may be used on two UTC days in a row. */
  namesPerDay?: number;
}

export type FieldRule = 'drop' | 'truncate' | 'hash';

/** Rules by the path of their field, such as `context.ip`. */
export type FieldRuleSet = Readonly<Record<string, FieldRule>>;

/** A source with its keys, oldest first. */
export interface SourceView {
  sourceIdentifier: string;
  name: string;
  type: SourceType;
  status: 'enabled' | 'disabled';
  createdAt: string;
  limits?: SourceLimits;
  /** Origins whose pages may send; any when it is missing. */
  origins?: readonly string[];
  /** `drop` when the user agents of clients are not stored. */
  userAgent?: 'drop';
  /** `on` when clients of Segment may send to the source. */
  segment?: 'on';
  /** Rules for fields of its messages, applied before they are stored. */
  pii?: FieldRuleSet;
  /** The purpose that a message must grant to be stored. */
  requireConsent?: string;
  keys: KeyView[];
}

/** Null numbers are unknown, because ClickHouse is unreachable. */
export interface SourceSummary extends SourceView {
  eventsLastHour: number | null;
  refusedLastHour: number | null;
  /** Time of its newest message; null if there was none within a day. */
  newestReceived: string | null;
  look?: SourceLook;
}

/** A page of the sources that match. */
export interface SourceListQuery extends PageQuery {
  /**
   * Text that the name or the identifier contains, in upper or lower case.
   * @maxLength 200
   */
  text?: string;
  status?: SourceView['status'];
  /** `look` by default: those that need a look come first, then those that send most. */
  order?: 'look' | 'name';
  /** `none` leaves out what ClickHouse knows, for a list of names; the order is by name then. */
  numbers?: 'none';
}

export interface SourceList {
  sources: SourceSummary[];
  /** Numbers of sources that match, and of all. */
  found: number;
  all: number;
}

export interface SourceDetail extends SourceSummary {
  series: Series | null;
  refusals: RefusedGroup[];
  /** Number of rows that came today (UTC); null while ClickHouse is unreachable. */
  messagesToday: number | null;
  /** Number of those that `dailyPeopleQuota` counts. */
  peopleToday: number | null;
  setup: SourceSetup;
}

/** Settings of a source, which are known without ClickHouse. */
export interface SourceSettings extends SourceView {
  setup: SourceSetup;
}

/** Addresses that an integrator needs, and that snippets show. The key is not part of them. */
export interface SourceSetup {
  gatewayUrl: string;
  /** Address of the Web SDK's script. */
  scriptUrl: string;
}

export interface NewSource {
  /**
   * @pattern \S
   * @maxLength 200
   */
  name: string;
  type: SourceType;
  /**
   * @maxItems 100
   * @maxLength 300
   */
  origins?: string[];
  /** `on` for a source that takes clients of Segment as well. */
  segment?: 'on';
}

/** The key is shown once and exists nowhere afterwards. */
export interface IssuedKey {
  keyId: string;
  apiKey: string;
}

export interface CreatedSource extends IssuedKey {
  source: SourceView;
}

/** Null removes a limit. */
export interface LimitChanges {
  /**
   * @minimum 0
   * @maximum 9007199254740991
   */
  ratePerSecond?: number | null;
  /**
   * @minimum 1
   * @maximum 9007199254740991
   */
  burst?: number | null;
  /**
   * @minimum 0
   * @maximum 9007199254740991
   */
  dailyQuota?: number | null;
  /**
   * @minimum 0
   * @maximum 9007199254740991
   */
  dailyPeopleQuota?: number | null;
  /**
   * @minimum 1
   * @maximum 1000000
   */
  namesPerDay?: number | null;
}

export interface NewStatus {
  status: SourceView['status'];
}

/** Null for any origin. */
export interface NewOrigins {
  /**
   * @maxItems 100
   * @maxLength 300
   */
  origins: string[] | null;
}

export interface NewUserAgent {
  userAgent: 'keep' | 'drop';
}

export interface NewSegment {
  segment: 'on' | 'off';
}

/** Rule for a field of `properties`, `traits` or `context`, named by its path. */
export interface NamedFieldRule {
  /** @maxLength 256 */
  path: string;
  rule: FieldRule;
}

/** All rules of the source; null requires no consent. */
export interface NewPrivacy {
  /** @maxItems 100 */
  rules: NamedFieldRule[];
  /** @maxLength 64 */
  requireConsent: string | null;
}

/** Time of the first event that is waited for; the creation of the source by default. */
export interface ArrivalsQuery {
  /** @format date-time */
  since?: string;
}

/** Messages of a source since a time, for "waiting for your first event"; asked once a second. */
export interface Arrivals {
  stored: { requestId: string; at: string; storedAt: string; event: string }[];
  refused: RefusedRequest[];
}
