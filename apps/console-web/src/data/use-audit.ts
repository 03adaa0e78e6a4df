import { type AuditEntry, type AuditQuery } from '@sluice/console-api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from './call';
import { buildQueryKey } from './keys';
import { type Reading, useKept } from './use-api';

export type AuditFilters = Omit<AuditQuery, 'before' | 'beforeId' | 'limit'>;

/** Entry after which a page begins; none for the first. */
type Place = Pick<AuditQuery, 'before' | 'beforeId'>;

export interface AuditPages {
  entries: readonly AuditEntry[];
  /** Reads older entries; undefined when there are none. */
  more: (() => void) | undefined;
  isLoadingMore: boolean;
}

const operation = 'GET /api/audit';
const refreshMs = 5000;
/** The API's default limit; a shorter page is the last. */
const pageLength = 200;

/** Reads the audit log, page by page. The first page stays current as long as it is the only one. */
export function useAudit(filters: AuditFilters): Reading<AuditPages> {
  const key = buildQueryKey(operation, { query: filters });
  const query = useInfiniteQuery({
    queryKey: [...key, 'pages'],
    queryFn: ({ pageParam, signal }) => call(operation, { query: { ...filters, ...pageParam }, signal }),
    initialPageParam: {},
    getNextPageParam: (page: readonly AuditEntry[]): Place | undefined => {
      const last = page.at(-1);
      return last && page.length >= pageLength ? { before: last.at, beforeId: last.id } : undefined;
    },
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) === 1 ? refreshMs : false),
  });
  const lastReading = useKept(key, { data: query.data, error: query.error, readAt: query.dataUpdatedAt });
  const data = lastReading && {
    entries: [...new Map(lastReading.data.pages.flat().map((entry) => [entry.id, entry])).values()],
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    isLoadingMore: query.isFetchingNextPage,
  };
  const { error, isPending, refetch } = query;
  return { data, error, isPending, readAt: lastReading?.readAt ?? 0, refetch };
}
