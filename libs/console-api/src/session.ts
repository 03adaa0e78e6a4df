/** Rights of a user; each role has the rights of the roles before it. */
export type Role = 'viewer' | 'editor' | 'admin';

/** A right that an operation needs: at least a role, or the permission to erase and export people. */
export type Right = Role | 'privacy';

export interface SignedInUser {
  /** Name to sign in with, or the provider's subject. */
  id: string;
  name: string;
  role: Role;
  /** Whether payloads are shown without masks. */
  payloads: boolean;
  /** Whether the user may suppress, erase and export people. */
  privacy: boolean;
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
  /**
   * @pattern \S
   * @maxLength 64
   */
  user: string;
  /**
   * @pattern \S
   * @maxLength 200
   */
  password: string;
}

/** The secret of a one-time link, `/login#<token>`. */
export interface LinkSignIn {
  /**
   * @pattern \S
   * @maxLength 200
   */
  token: string;
}

export interface NewPassword {
  /**
   * The present password, needed when the user has one.
   * @maxLength 200
   */
  current?: string;
  /**
   * @pattern \S
   * @maxLength 200
   */
  password: string;
}

export interface IssuerQuery {
  /**
   * Path of the console to come back to.
   * @maxLength 4000
   */
  to?: string;
}
