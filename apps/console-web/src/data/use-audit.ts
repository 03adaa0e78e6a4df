import { type AuditEntry, type AuditQuery } from '@sluice/console-api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from './call';
import { keyOf } from './keys';
import { type Reading, useKept } from './use-api';

export interface AuditPages {
  entries: readonly AuditEntry[];
  /** Reads older entries; undefined when there are none. */
  more: (() => void) | undefined;
  isLoadingMore: boolean;
}

const operation = 'GET /api/audit';
const newMs = 5000;
/** Entries of a whole page; a shorter one is the last. */
const pageLength = 200;

/** Reads the audit log, page by page. The first page stays current as long as it is the only one. */
export function useAudit(filters: Omit<AuditQuery, 'before'>, until: string | undefined): Reading<AuditPages> {
  const [name, path, rest] = keyOf(operation, { query: filters });
  const query = useInfiniteQuery({
    queryKey: [name, path, `pages ${until ?? ''} ${rest}`],
    queryFn: ({ pageParam, signal }) =>
      call(operation, { query: { ...filters, ...(pageParam !== '' && { before: pageParam }) }, signal }),
    initialPageParam: until ?? '',
    getNextPageParam: (page: readonly AuditEntry[]) => (page.length < pageLength ? undefined : page.at(-1)?.at),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) === 1 && until === undefined ? newMs : false),
  });
  const kept = useKept(path, query.data, query.dataUpdatedAt);
  const data = kept && {
    entries: [...new Map(kept.data.pages.flat().map((entry) => [entry.id, entry])).values()],
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    isLoadingMore: query.isFetchingNextPage,
  };
  const { error, isPending, refetch } = query;
  return { data, error, isPending, readAt: kept?.readAt ?? 0, refetch };
}
