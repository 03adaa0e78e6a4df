import { type Right, type Role, type SignedInUser } from '@sluice/console-api';
import { useRead } from './use-api';

const rank: Record<Role, number> = { viewer: 0, editor: 1, admin: 2 };

export const useSession = () => useRead('GET /api/session', {}, { everyMs: 60_000 });

export const mayAs = (user: SignedInUser | null | undefined, right: Right): boolean =>
  user !== null && user !== undefined && (right === 'privacy' ? user.privacy : rank[user.role] >= rank[right]);

/** Whether the person who is signed in may do what needs this right. The server checks it again. */
export function useMay(right: Right): boolean {
  const { data } = useSession();
  return mayAs(data?.user, right);
}
