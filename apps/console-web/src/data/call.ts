import { type AnswerOf, type ApiProblem, type BodyOf, type Operation, type QueryOf } from '@sluice/console-api';

export interface Input<Op extends Operation> {
  /** Parts of the path, such as `id` for `:id`. */
  path?: Record<string, string>;
  query?: QueryOf<Op>;
  body?: BodyOf<Op>;
  signal?: AbortSignal;
}

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
export async function call<Op extends Operation>(operation: Op, input: Input<Op> = {}): Promise<AnswerOf<Op>> {
  return (await (await answerOf(operation, input)).json()) as AnswerOf<Op>;
}

/** Calls an operation that answers with a file, and saves it as the browser saves files. */
export async function download<Op extends Operation>(operation: Op, input: Input<Op>, name: string): Promise<void> {
  const url = URL.createObjectURL(await (await answerOf(operation, input)).blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has read the address by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** @throws CallError unless the operation succeeded. */
async function answerOf<Op extends Operation>(operation: Op, input: Input<Op>): Promise<Response> {
  const [method = 'GET', route = ''] = operation.split(' ');
  const response = await fetch(addressOf(route, input.path ?? {}, input.query as object | undefined), {
    method,
    ...(input.signal && { signal: input.signal }),
    ...(method !== 'GET' && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(input.body ?? {}),
    }),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new CallError(0, { code: 'unreachable', message: 'The console is not responding. Retrying…' });
  });
  if (!response.ok) throw new CallError(response.status, await problemOf(response));
  return response;
}

export function addressOf(route: string, path: Record<string, string>, query: object | undefined): string {
  const filled = route.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const known = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(known.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? filled : `${filled}?${text}`;
}

async function problemOf(response: Response): Promise<ApiProblem> {
  try {
    return (await response.json()) as ApiProblem;
  } catch {
    return { code: 'unreachable', message: `The console answered ${response.status}.` };
  }
}
