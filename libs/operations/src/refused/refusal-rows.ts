import { toIso } from '@sluice/clickhouse';
import { type Problem, type RefusedGroup, type RefusedRequest } from '@sluice/console-api';

/** A row that `sampleColumns` select. */
export interface SampleRow {
  requestId: string;
  /** Text of a `DateTime64(3)`. */
  at: string;
  source: string;
  claimed: string;
  origin: string;
  method: string;
  route: string;
  status: number;
  reason: string;
  kind: RefusedRequest['kind'];
  problems: string;
  userAgent: string;
  hasBody: number;
}

/** A row of `groupsQuery` and `claimsQuery`. */
export interface GroupRow {
  source: string;
  what: RefusedRequest['kind'];
  reason: string;
  count: string;
  newest: string;
  oldest: string;
  /** Number of groups on all pages. */
  found: string;
}

/** A row of `claimedSourcesQuery`. */
export interface ClaimRow {
  source: string;
  what: string;
  reason: string;
  count: string;
  /** Number of sources that are claimed. */
  found: string;
}

/** A row of `problemsQuery`. */
export interface ProblemsRow {
  source: string;
  what: string;
  reason: string;
  texts: string[];
}

/** A sampled refusal, without names of sources, which the table does not have. */
export type RefusedSample = Omit<RefusedRequest, 'sourceName' | 'claimedName'>;

/** Exact number of refusals of one kind, of a source and a reason; of claims, the number of samples. */
export type RefusalCount = Pick<RefusedGroup, 'sourceIdentifier' | 'kind' | 'reason' | 'count' | 'newest'>;

export const toSample = ({ at, source, claimed, origin, problems, hasBody, ...row }: SampleRow): RefusedSample => ({
  ...row,
  ...(claimed !== '' && { claimedSource: claimed }),
  ...(origin !== '' && { origin }),
  at: toIso(at),
  sourceIdentifier: source,
  problems: parseProblems(problems),
  hasBody: Boolean(hasBody),
});

export const toCount = ({ source, what: kind, reason, count, newest }: GroupRow): RefusalCount => ({
  sourceIdentifier: source,
  kind,
  reason,
  count: Number(count),
  newest: toIso(newest),
});

/** The problems of a sample; none when its text was cut off. */
export function parseProblems(text: string): Problem[] {
  try {
    return JSON.parse(text) as Problem[];
  } catch {
    return [];
  }
}
