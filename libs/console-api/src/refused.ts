import { type MaskedJson } from './payload.js';
import { type RangeQuery } from './status.js';

export interface RefusedQuery extends RangeQuery {
  /** @maxLength 64 */
  source?: string;
  /** @maxLength 100 */
  reason?: string;
  /**
   * 50 by default.
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
  method: string;
  /** Template of the path; the path itself if no route has it. */
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

export interface RefusedGroup {
  sourceIdentifier: string;
  sourceName: string;
  kind: RefusedRequest['kind'];
  reason: string;
  /** Exact number of requests in the range. */
  count: number;
  newest: string;
  /** Time of the first one in the range. */
  firstSeen?: string;
  /** The problem that most samples name, such as `userId: must be there`; empty when the reason says it. */
  sentence?: string;
  /** Fields of the samples, most frequent first. */
  fields: string[];
}

export interface RefusedList {
  range: { from: string; to: string };
  groups: RefusedGroup[];
  /** Newest first. */
  samples: RefusedRequest[];
  /** Refused requests per step, exact. */
  series: { times: number[]; stepSeconds: number; counts: (number | null)[] };
  sql: string;
}
