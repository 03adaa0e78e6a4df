import { downIn, type Servers } from '@sluice/console-api';
import { useQuery } from '@tanstack/react-query';
import { call } from './call';
import { keyOf } from './keys';
import { queryClient } from './use-api';

const operation = 'GET /api/servers';
const key = keyOf(operation);
/** Pause between the answer to a question and the next one. */
const againMs = 200;
const brokenMs = 1000;

/** Reads which server is unreachable. The request stays open while the page is visible: the console answers when that has changed. */
export const useServers = () =>
  useQuery<Servers>({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const before = queryClient.getQueryData<Servers>(key);
      const query = before ? { known: downIn(before) } : {};
      const now = await call(operation, { query, signal });
      if (before && downIn(before) !== downIn(now)) askAllAgain();
      return now;
    },
    refetchInterval: ({ state }) => (state.error ? brokenMs : againMs),
    retry: false,
  });

/** Reads all again, because the pages show the state before the change. */
function askAllAgain(): void {
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== key[0] });
}
