import { type AnswerOf, type ApiProblem, type BodyOf, type Operation, type QueryOf } from '@sluice/console-api';
import { learnServerTime } from './clock';

export interface CallInput<Op extends Operation> {
  /** Parts of the path, such as `id` for `:id`. */
  path?: Record<string, string>;
  query?: QueryOf<Op>;
  body?: BodyOf<Op>;
  signal?: AbortSignal;
}

/** Time without an answer after which a call fails: a process that hangs never answers, and never breaks a connection. */
const readMs = 30_000;
/** Actions may ask all sources about a person, which the console ends after two minutes. */
const actMs = 130_000;

/** An operation that failed, with the sentence that the server wrote for people. */
export class CallError extends Error {
  constructor(
    readonly status: number,
    readonly problem: ApiProblem,
  ) {
    super(problem.message);
  }
}

/** Calls an operation of the console's API. */
export async function call<Op extends Operation>(operation: Op, input: CallInput<Op> = {}): Promise<AnswerOf<Op>> {
  return (await (await requestAnswer(operation, input)).json()) as AnswerOf<Op>;
}

/** Calls an operation that answers with a file, and saves it as the browser saves files. */
export async function download<Op extends Operation>(operation: Op, input: CallInput<Op>, name: string): Promise<void> {
  const url = URL.createObjectURL(await (await requestAnswer(operation, input)).blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has read the address by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** @throws CallError unless the operation succeeded. */
async function requestAnswer<Op extends Operation>(operation: Op, input: CallInput<Op>): Promise<Response> {
  const [method = 'GET', route = ''] = operation.split(' ');
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), method === 'GET' ? readMs : actMs);
  input.signal?.throwIfAborted();
  input.signal?.addEventListener('abort', () => timeout.abort(), { signal: timeout.signal });
  const response = await fetch(buildAddress(route, input.path ?? {}, input.query as object | undefined), {
    method,
    signal: timeout.signal,
    ...(method !== 'GET' && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(input.body ?? {}),
    }),
  }).catch((error: unknown) => {
    // Only the caller's own end is not a failure.
    if (input.signal?.aborted) throw error;
    throw new CallError(0, { code: 'unreachable', message: 'The console is not responding. Retrying…' });
  });
  learnServerTime(response.headers.get('date'));
  // The timeout does not cover the body: a file of a person's rows can take long to arrive.
  clearTimeout(timer);
  if (!response.ok) throw new CallError(response.status, await readProblem(response));
  return response;
}

export function buildAddress(route: string, path: Record<string, string>, query: object | undefined): string {
  const filled = route.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const givenMembers = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(givenMembers.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? filled : `${filled}?${text}`;
}

async function readProblem(response: Response): Promise<ApiProblem> {
  try {
    return (await response.json()) as ApiProblem;
  } catch {
    return { code: 'unreachable', message: `The console answered ${response.status}.` };
  }
}
