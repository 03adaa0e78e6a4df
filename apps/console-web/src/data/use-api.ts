import { type AnswerOf, type Operation } from '@sluice/console-api';
import { QueryCache, QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { call, CallError, type CallInput } from './call';
import { buildQueryKey } from './keys';
import { buildRangeQuery, type Span } from './range';

// A session that has ended, and rights that were lost, show in any answer; the page then asks who is signed in.
const queryCache = new QueryCache({
  onError: (error) => {
    if (error instanceof CallError && [401, 403].includes(error.status))
      void queryClient.invalidateQueries({ queryKey: ['GET /api/session'] });
  },
});

export const queryClient: QueryClient = new QueryClient({
  queryCache,
  defaultOptions: {
    queries: {
      staleTime: 2000,
      // Long enough for an outage: a page that is opened again shows what was known before it.
      gcTime: 3_600_000,
      retry: (failures, error) => failures < 2 && error instanceof CallError && error.status === 0,
      refetchOnWindowFocus: true,
    },
  },
});

interface ReadOptions {
  /** Pause between two questions, while the page is seen. */
  everyMs?: number;
  enabled?: boolean;
  /** Span of time that is asked for; a relative one starts at the moment of each question. */
  span?: Span;
}

export interface Reading<Data> {
  data: Data | undefined;
  error: Error | null;
  /** Whether the first answer to this question is awaited; `data` may be the answer to the question before it. */
  isPending: boolean;
  /** Time at which `data` was read, milliseconds since 1970. */
  readAt: number;
  refetch: () => unknown;
}

/**
 * Reads an operation, repeatedly with `everyMs`. The last answer about the same path stays until the next one is there;
 * see `useKept` for a question that fails.
 */
export function useRead<Op extends Operation>(
  operation: Op,
  input: CallInput<Op> = {},
  options: ReadOptions = {},
): Reading<AnswerOf<Op>> {
  const question = buildQuestion(operation, input, options.span);
  const { data, error, isPending, dataUpdatedAt, refetch } = useQuery<AnswerOf<Op>>({
    ...question,
    refetchInterval: options.everyMs ?? false,
    enabled: options.enabled ?? true,
  });
  const lastReading = useKept(question.queryKey, { data, error, readAt: dataUpdatedAt });
  return { data: lastReading?.data, error, isPending, readAt: lastReading?.readAt ?? 0, refetch };
}

const buildQuestion = <Op extends Operation>(operation: Op, input: CallInput<Op> = {}, span?: Span) => ({
  queryKey: buildQueryKey(operation, input, span),
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<AnswerOf<Op>> => {
    const query = { ...(input.query as object | undefined), ...(span && buildRangeQuery(span)) };
    return call(operation, { ...input, query: query as CallInput<Op>['query'] & object, signal });
  },
});

/** Asks a question of every page before the first is drawn; `useRead` then has the answer, or awaits it. */
export const readEarly = (operation: Operation): void => {
  queryClient.query(buildQuestion(operation)).catch(() => undefined);
};

/**
 * The newest answer of a path, which stays while another question about the same path is open. When that question
 * fails, the answer stays only if both have the same filters: rows of another filter would look like the answer to it.
 */
export function useKept<Data>(
  [, path, query]: ReturnType<typeof buildQueryKey>,
  { data, error, readAt }: { data: Data | undefined; error: Error | null; readAt: number },
) {
  const last = useRef<{ path: string; query: string; data: Data; readAt: number }>(undefined);
  if (data !== undefined) last.current = { path, query, data, readAt };
  const lastReading = last.current?.path === path ? last.current : undefined;
  return error && lastReading?.query !== query ? undefined : lastReading;
}

/** An action. After its success, everything that was read is read again. */
export function useAction<Op extends Operation>(operation: Op, onDone?: (answer: AnswerOf<Op>) => void) {
  const client = useQueryClient();
  return useMutation<AnswerOf<Op>, Error, CallInput<Op>>({
    mutationFn: (input) => call(operation, input),
    // An answer may hold a key or a link that is shown once: it is forgotten with the dialog.
    gcTime: 0,
    onSuccess: (answer) => {
      onDone?.(answer);
      void client.invalidateQueries();
    },
  });
}
