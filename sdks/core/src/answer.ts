import { type HttpAnswer } from './ports.js';

export interface Refusal {
  readonly field: string;
  readonly message: string;
}

/** Meaning of the service's answer for a batch. */
export type Verdict =
  | { readonly is: 'stored'; readonly rejected: readonly Refusal[]; readonly dropped: readonly Refusal[] }
  | { readonly is: 'too-large' | 'unauthorized' | 'refused'; readonly reasons: readonly Refusal[] }
  /** `isDoubtful`: the service may have stored the batch nevertheless. */
  | { readonly is: 'later'; readonly isDoubtful: boolean };

const later: Verdict = { is: 'later', isDoubtful: true };

/** Classifies an answer. One that does not come from the service (a captive portal, a proxy, none) means `later`. */
export function verdictOf(answer: HttpAnswer | undefined): Verdict {
  const body = answer && parse(answer.body);
  if (!answer || !body) return later;
  const { status } = answer;
  const reasons = refusalsOf(body);
  if (status === 200) {
    const { status: state, rejected, dropped } = body as { status?: unknown; rejected?: unknown; dropped?: unknown };
    if (state !== 'QUEUED') return later;
    return { is: 'stored', rejected: refusalsOf(rejected) ?? [], dropped: refusalsOf(dropped) ?? [] };
  }
  if (!reasons) return later;
  if (status === 413) return { is: 'too-large', reasons };
  if ([401, 403, 404, 405].includes(status)) return { is: 'unauthorized', reasons };
  if ([400, 415, 417, 431].includes(status)) return { is: 'refused', reasons };
  return { is: 'later', isDoubtful: status !== 408 && status !== 429 };
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function refusalsOf(list: unknown): Refusal[] | undefined {
  const isList = Array.isArray(list) && list.length > 0 && list.every(isRefusal);
  return isList ? list : undefined;
}

function isRefusal(entry: unknown): entry is Refusal {
  const { field, message } = (entry ?? {}) as Partial<Record<string, unknown>>;
  return typeof field === 'string' && typeof message === 'string';
}

/** Number of messages of a batch that the reasons name; `list[3].userId` names the fourth. */
export const messagesNamed = (reasons: readonly Refusal[]): number =>
  new Set(reasons.map(({ field }) => /^list\[(\d+)\]/.exec(field)?.[1])).size;

export const inWords = (reasons: readonly Refusal[]): string =>
  reasons.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join('; ');
