import { type Right, type Role } from '@sluice/console-api';
import { type UserRecord } from '@sluice/operations';

/** The user of a request. Rights are those of this moment, not of the sign-in. */
export interface CurrentUser {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Whether payloads are shown without masks. */
  readonly payloads: boolean;
  /** Whether people may be suppressed, erased and exported. */
  readonly privacy: boolean;
  /** Address of the browser. */
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly sessionEndsAt: number;
  readonly hasPassword: boolean;
}

const ranks: Readonly<Record<Role, number>> = { viewer: 1, editor: 2, admin: 3 };

export const mayDo = ({ role, privacy = false }: Pick<UserRecord, 'role' | 'privacy'>, needed: Right): boolean =>
  needed === 'privacy' ? privacy : ranks[role] >= ranks[needed];
