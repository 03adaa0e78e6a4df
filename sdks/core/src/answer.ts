import { attempt } from './attempt.js';
import { type HttpAnswer } from './ports.js';

export interface Refusal {
  readonly field: string;
  readonly message: string;
}

/**
 * - `stored`: the service has the batch, except the messages that `reasons` name.
 * - `too-large`, `refused`: it never takes the batch as it is.
 * - `unauthorized`: it does not accept the credentials.
 * - `later`: it has certainly not stored the batch, and may take it later.
 * - `unknown`: it may have stored the batch, or not.
 */
type Meaning = 'stored' | 'too-large' | 'refused' | 'unauthorized' | 'later' | 'unknown';

const meanings: readonly (readonly [Meaning, ...number[]])[] = [
  ['refused', 400, 415, 417, 431],
  ['unauthorized', 401, 403, 404, 405],
  ['too-large', 413],
  ['later', 408, 429],
];

/** The service's answer to a batch. */
export interface Verdict {
  readonly is: Meaning;
  /** False for an answer from anything else (a proxy, a portal, a wrong path) and without an answer. */
  readonly isOfService: boolean;
  /** Why the batch was refused, or which messages of a stored batch were, and why. */
  readonly reasons: readonly Refusal[];
  /** Values that were left out of stored messages. */
  readonly dropped: readonly Refusal[];
}

export function verdictOf(answer: HttpAnswer | undefined): Verdict {
  const body = bodyOf(answer);
  const is = meaningOf(answer, body);
  const refusals = refusalsOf(body);
  return {
    is,
    isOfService: is === 'stored' || (refusals.length > 0 && !isOfWrongPath(refusals)),
    reasons: is === 'stored' ? refusalsOf(body?.['rejected']) : refusals,
    dropped: refusalsOf(body?.['dropped']),
  };
}

/** Classifies an answer. It is `unknown` if it is missing or not from the service (a captive portal, a proxy). */
export function meaningOf(answer: HttpAnswer | undefined, body = bodyOf(answer)): Meaning {
  const status = answer?.status ?? 0;
  if (status === 200) return body?.['status'] === 'QUEUED' ? 'stored' : 'unknown';
  const refusals = refusalsOf(body);
  if (isOfWrongPath(refusals)) return 'later';
  const known = meanings.find((statuses) => refusals.length > 0 && statuses.includes(status));
  return known?.[0] ?? 'unknown';
}

/** True if the service has the host but not this path, which says nothing about the source and its key. */
const isOfWrongPath = (refusals: readonly Refusal[]): boolean =>
  refusals.some(({ message }) => message === 'error.request.notFound');

const bodyOf = (answer: HttpAnswer | undefined): Partial<Record<string, unknown>> | null | undefined =>
  attempt(() => JSON.parse(answer?.body ?? '') as Partial<Record<string, unknown>> | null);

const refusalsOf = (list: unknown): readonly Refusal[] =>
  Array.isArray(list) && list.every(isRefusal) ? (list as Refusal[]) : [];

const isRefusal = (entry: Partial<Refusal> | null): boolean =>
  typeof entry?.field === 'string' && typeof entry.message === 'string';

/** Number of messages of a batch that the reasons name: each field begins with one, as in `list[3].userId`. */
export const messagesNamed = (reasons: readonly Refusal[]): number =>
  new Set(reasons.map(({ field }) => field.split('.')[0])).size;

export const inWords = (reasons: readonly Refusal[]): string =>
  reasons.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join('; ');
