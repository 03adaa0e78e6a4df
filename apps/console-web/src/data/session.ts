import { type Right, type Role, type SessionState, type SignedInUser } from '@sluice/console-api';
import { useQueryClient } from '@tanstack/react-query';
import { buildQueryKey } from './keys';
import { useRead } from './use-api';

const rank: Record<Role, number> = { viewer: 0, editor: 1, admin: 2 };

export const useSession = () => useRead('GET /api/session', {}, { everyMs: 60_000 });

export const mayAs = (user: SignedInUser | null | undefined, right: Right): boolean =>
  user !== null && user !== undefined && (right === 'privacy' ? user.privacy : rank[user.role] >= rank[right]);

/** Takes over the session that a sign-in began: an answer that is still under way knows of none. */
export function useTakeSession(): (state: SessionState) => Promise<void> {
  const client = useQueryClient();
  return async (state) => {
    const queryKey = buildQueryKey('GET /api/session');
    await client.cancelQueries({ queryKey });
    client.setQueryData(queryKey, state);
  };
}

/** The user who signed in to this page; it is loaded again for another one. */
let knownUser: SignedInUser | null = null;

/**
 * The user of this page: also after the session has ended, so that what was typed stays until they have signed in again.
 * Null before anybody has signed in.
 */
export function useUser(): SignedInUser | null {
  const { data } = useSession();
  if (data?.user) knownUser = data.user;
  return knownUser;
}

/** Whether the person who is signed in may do what needs this right. The server checks it again. */
export function useMay(right: Right): boolean {
  return mayAs(useUser(), right);
}
