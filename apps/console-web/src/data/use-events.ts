import { type EventList, type EventRow, type EventsQuery } from '@sluice/console-api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from './call';
import { buildQueryKey } from './keys';
import { buildRangeQuery, type Span } from './range';
import { type Reading, useKept } from './use-api';

/** Pages of stored messages that were read up to now. */
export interface EventPages {
  rows: readonly EventRow[];
  sql: string;
  /** Set when the search stopped before the start of the range. */
  searchedUntil: string | null;
  /** Reads older rows; undefined when there are none. */
  more: (() => void) | undefined;
  isLoadingMore: boolean;
}

const operation = 'GET /api/events';
const newMs = 3000;

/** Reads stored messages, page by page. The first page stays current as long as it is the only one. */
export function useEvents(filters: Omit<EventsQuery, 'from' | 'to'>, span: Span): Reading<EventPages> {
  const key = buildQueryKey(operation, { query: filters }, span);
  const { data, error, isPending, dataUpdatedAt, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery({
      queryKey: [...key, 'pages'],
      queryFn: ({ pageParam, signal }) => {
        const before = pageParam === '' ? {} : { before: pageParam };
        return call(operation, { query: { ...filters, ...buildRangeQuery(span), ...before }, signal });
      },
      initialPageParam: '',
      getNextPageParam: ({ next }: EventList) => next ?? undefined,
      refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) === 1 ? newMs : false),
    });
  const lastReading = useKept(key, { data, error, readAt: dataUpdatedAt });
  const last = lastReading?.data.pages.at(-1);
  const pages = lastReading && {
    rows: unique(lastReading.data.pages.flatMap(({ rows }) => rows)),
    sql: last?.sql ?? '',
    searchedUntil: last?.searchedUntil ?? null,
    isLoadingMore: isFetchingNextPage,
    more: hasNextPage ? () => void fetchNextPage() : undefined,
  };
  return { data: pages, error, isPending, readAt: lastReading?.readAt ?? 0, refetch };
}

/** Rows that came between two questions can be on both pages. */
const unique = (rows: readonly EventRow[]): EventRow[] => [...new Map(rows.map((row) => [row.id, row])).values()];
