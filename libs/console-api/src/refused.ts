import { type MaskedJson } from './payload.js';
import { type RangeQuery } from './status.js';

export interface RefusedQuery extends RangeQuery {
  /** @maxLength 64 */
  source?: string;
  /** @maxLength 100 */
  reason?: string;
  /**
   * Text that the reason contains, in upper or lower case.
   * @maxLength 100
   */
  text?: string;
  /**
   * Number of groups before the page of groups; 0 by default.
   * @integer
   * @minimum 0
   * @maximum 1000000
   */
  skip?: number;
  /**
   * Number of groups of a page, 50 by default.
   * @integer
   * @minimum 1
   * @maximum 200
   */
  groups?: number;
  /**
   * `next` of an earlier answer: older samples.
   * @maxLength 200
   */
  before?: string;
  /**
   * Number of samples, 50 by default.
   * @integer
   * @minimum 1
   * @maximum 500
   */
  limit?: number;
}

/** One problem of a refused request: the entry of its answer. */
export interface Problem {
  field: string;
  message: string;
}

/** A sampled refusal. */
export interface RefusedRequest {
  requestId: string;
  at: string;
  /** Empty when the source is not known. */
  sourceIdentifier: string;
  sourceName?: string;
  /** Source that a request without a valid key names; anyone can name it. */
  claimedSource?: string;
  claimedName?: string;
  /** Website that the source does not accept: scheme, host and port. */
  origin?: string;
  method: string;
  /** Template of the route, or the path as sent if no route matches. */
  route: string;
  status: number;
  /** Such as `error.request.invalid`, or the kind of problem. */
  reason: string;
  /** `refused`, or `dropped` and `rejected` for parts of accepted requests. */
  kind: 'refused' | 'dropped' | 'rejected';
  problems: Problem[];
  userAgent: string;
  /** Whether a body was kept: only that of an authenticated source's 400. */
  hasBody: boolean;
}

export interface RefusedDetail extends RefusedRequest {
  body: MaskedJson | null;
}

/** A source that requests without a valid key name. */
export interface ClaimedSource {
  sourceIdentifier: string;
  sourceName: string;
  /** Number of samples, which is a lower bound. */
  count: number;
}

export interface RefusedGroup {
  sourceIdentifier: string;
  sourceName: string;
  kind: RefusedRequest['kind'];
  reason: string;
  /** Whether the requests only claim to be of the source: they had no valid key. Only in a list of one source. */
  isClaim?: boolean;
  /** Sources that samples without a valid key claim to be, most frequent first. */
  claims?: { sources: ClaimedSource[]; found: number };
  /** Exact number of requests in the range; of claims, the number of samples, which is a lower bound. */
  count: number;
  newest: string;
  /** Time of the first one in the range. */
  firstSeen?: string;
  /** The problem that most samples name, such as `userId: must be there`, or up to three causes of a wrong key; empty when the reason says it. */
  sentence?: string;
  /** Fields of the samples, most frequent first. */
  fields: string[];
}

export interface RefusedList {
  range: { from: string; to: string };
  /**
   * A page of exact groups. In a list of one source, a page of what only claims to be of it follows, so that claims push
   * nothing out; without a source, claims stand in the group of the requests without a valid key.
   */
  groups: RefusedGroup[];
  /** Numbers of exact groups and of groups of claims, on all pages. */
  found: { groups: number; claims: number };
  /** Newest first; claims are at most twenty, so that they push nothing out. */
  samples: RefusedRequest[];
  /** Passed as `before`, gives older samples; null when there are none. */
  next: string | null;
  /** Refused requests per step, exact. */
  series: { times: number[]; stepSeconds: number; counts: (number | null)[] };
  sql: string;
}
