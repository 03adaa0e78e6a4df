import { type Role, type SignedInUser } from '@sluice/console-api';
import { useRead } from './use-api';

const rank: Record<Role, number> = { viewer: 0, editor: 1, admin: 2 };

export const useSession = () => useRead('GET /api/session', {}, { every: 60_000 });

export const mayAs = (user: SignedInUser | null | undefined, role: Role): boolean =>
  user !== null && user !== undefined && rank[user.role] >= rank[role];

/** Whether the person who is signed in may do what needs this role. The server asks again. */
export function useMay(role: Role): boolean {
  const { data } = useSession();
  return mayAs(data?.user, role);
}
