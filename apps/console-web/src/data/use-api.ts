import { type Operation } from '@sluice/console-api';
import { QueryCache, QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type AnswerOf, call, CallError, type Input } from './call';
import { keyOf, takeEarly } from './early';

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
      retry: (failures, error) => failures < 2 && error instanceof CallError && error.status === 0,
      refetchOnWindowFocus: true,
    },
  },
});

interface ReadOptions {
  /** Milliseconds between two questions, while the page is seen. */
  every?: number;
  enabled?: boolean;
}

/** Reads by an operation, again and again if it says so. What was read before stays until the answer is there. */
export const useRead = <Op extends Operation>(operation: Op, input: Input<Op> = {}, options: ReadOptions = {}) =>
  useQuery<AnswerOf<Op>>({
    queryKey: keyOf(operation, input),
    queryFn: ({ signal }) => takeEarly(operation, input) ?? call(operation, { ...input, signal }),
    refetchInterval: options.every ?? false,
    enabled: options.enabled ?? true,
  });

/** A deed. Everything that was read is read again after it. */
export function useDeed<Op extends Operation>(operation: Op, onDone?: (answer: AnswerOf<Op>) => void) {
  const client = useQueryClient();
  return useMutation<AnswerOf<Op>, Error, Input<Op>>({
    mutationFn: (input) => call(operation, input),
    // An answer may hold a key or a link that is shown once: it is forgotten with the dialog.
    gcTime: 0,
    onSuccess: (answer) => {
      onDone?.(answer);
      void client.invalidateQueries();
    },
  });
}
