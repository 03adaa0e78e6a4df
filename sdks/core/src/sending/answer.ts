import { attempt } from '../ports/attempt.js';
import { type HttpAnswer } from '../ports/ports.js';

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
export interface BatchVerdict {
  readonly meaning: Meaning;
  /** False for an answer from anything else (a proxy, a portal, a wrong path) and without an answer. */
  readonly isFromService: boolean;
  /** Why the batch was refused, or which messages of a stored batch were, and why. */
  readonly reasons: readonly Refusal[];
  /** Values that were left out of stored messages. */
  readonly dropped: readonly Refusal[];
}

export function readVerdict(answer: HttpAnswer | undefined): BatchVerdict {
  const body = parseBody(answer);
  const meaning = classifyAnswer(answer, body);
  const refusals = readRefusals(body);
  return {
    meaning: meaning,
    isFromService: meaning === 'stored' || (refusals.length > 0 && !isWrongPath(refusals)),
    reasons: meaning === 'stored' ? readRefusals(body?.['rejected']) : refusals,
    dropped: readRefusals(body?.['dropped']),
  };
}

/** Classifies an answer. It is `unknown` if it is missing or not from the service (a captive portal, a proxy). */
export function classifyAnswer(answer: HttpAnswer | undefined, body = parseBody(answer)): Meaning {
  const status = answer?.status ?? 0;
  if (status === 200) return body?.['status'] === 'QUEUED' ? 'stored' : 'unknown';
  const refusals = readRefusals(body);
  if (isWrongPath(refusals)) return 'later';
  const match = meanings.find((statuses) => refusals.length > 0 && statuses.includes(status));
  return match?.[0] ?? 'unknown';
}

/** True if the service has the host but not this path, which says nothing about the source and its key. */
const isWrongPath = (refusals: readonly Refusal[]): boolean => isNamed(refusals, 'notFound');

/** True if a daily quota of the source is used up. */
export const isForQuota = (refusals: readonly Refusal[]): boolean => isNamed(refusals, 'quotaExceeded');

const isNamed = (refusals: readonly Refusal[], name: string): boolean =>
  refusals.some(({ message }) => message === `error.request.${name}`);

const parseBody = (answer: HttpAnswer | undefined): Partial<Record<string, unknown>> | null | undefined =>
  attempt(() => JSON.parse(answer?.body ?? '') as Partial<Record<string, unknown>> | null);

const readRefusals = (list: unknown): readonly Refusal[] =>
  Array.isArray(list) && list.every(isRefusal) ? (list as Refusal[]) : [];

const isRefusal = (entry: Partial<Refusal> | null): boolean =>
  typeof entry?.field === 'string' && typeof entry.message === 'string';

/** Number of messages of a batch that the reasons name: each field begins with its place, as in `list[3].userId`. */
export const countRefusedMessages = (reasons: readonly Refusal[]): number =>
  new Set(reasons.map(({ field }) => field.split('.')[0])).size;

export const joinRefusals = (reasons: readonly Refusal[]): string =>
  reasons.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join('; ');
