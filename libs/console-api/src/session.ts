/** What someone may do; each role may do all that the roles before it may. */
export type Role = 'viewer' | 'editor' | 'admin';

export interface SignedInUser {
  /** Name to sign in with, or the provider's subject. */
  id: string;
  name: string;
  role: Role;
  /** Whether payloads are shown without masks. */
  payloads: boolean;
  /** Time at which the session ends, ISO 8601 UTC. */
  endsAt: string;
  /** Whether the user can sign in again with a password. */
  hasPassword: boolean;
}

/** Answer to anybody: who is signed in, and how one signs in. */
export interface SessionState {
  user: SignedInUser | null;
  signIn: {
    /** Whether users with a password exist. */
    password: boolean;
    /** The provider's name; the browser goes to `/api/session/oidc` then. */
    oidc: string | null;
  };
  version: string;
}

export interface PasswordSignIn {
  user: string;
  password: string;
}

/** The secret of a one-time link, `/login#<token>`. */
export interface LinkSignIn {
  token: string;
}

export interface NewPassword {
  /** Needed when the user has one. */
  current?: string;
  password: string;
}

export interface IssuerQuery {
  /** Path of the console to come back to. */
  to?: string;
}
