import { type PageQuery } from './page.js';
import { type Role } from './session.js';

export interface User {
  id: string;
  name: string;
  role: Role;
  payloads: boolean;
  /** Whether the user may suppress, erase and export people. */
  privacy: boolean;
  status: 'invited' | 'active' | 'disabled';
  /** `local` signs in with a password or a link; `oidc` at the provider, which also decides the role. */
  origin: 'local' | 'oidc';
  createdAt: string;
}

/** A page of the users that match, by id. */
export interface UserListQuery extends PageQuery {
  /**
   * Text that the name or the id contains, in upper or lower case.
   * @maxLength 200
   */
  text?: string;
  role?: Role;
  status?: User['status'];
}

export interface UserList {
  users: User[];
  /** Numbers of users that match, and of all. */
  found: number;
  all: number;
}

export interface NewUser {
  /**
   * Characters of `[A-Za-z0-9_.@-]`.
   * @pattern \S
   * @maxLength 64
   */
  id: string;
  /**
   * The id by default.
   * @maxLength 100
   */
  name?: string;
  role: Role;
  payloads?: boolean;
  privacy?: boolean;
}

export interface InvitedUser {
  user: User;
  /** Signs the user in once, within 15 minutes. It is shown once. */
  link: string;
}

export interface UserChanges {
  /** @maxLength 100 */
  name?: string;
  role?: Role;
  payloads?: boolean;
  privacy?: boolean;
  disabled?: boolean;
}

/** Values that are masked wherever they stand, whatever their name is. */
export type ValuePattern = 'token' | 'email' | 'iban' | 'card' | 'ip' | 'phone';

/**
 * Paths of payloads that are shown as a type, a length and a tag, such as `traits.email` or `*phone*`, and kinds of values.
 * Both hold for columns, keys, headers and filters too; queries are always cut from URLs.
 */
export interface Masks {
  paths: string[];
  values: ValuePattern[];
}

/** Without `values`, the present ones stay. */
export interface NewMasks {
  /**
   * @maxItems 200
   * @maxLength 128
   */
  paths: string[];
  /** @maxItems 10 */
  values?: ValuePattern[];
}

export interface SavedView {
  id: string;
  name: string;
  /** Path and query of the page. */
  url: string;
  owner: string;
  isShared: boolean;
}

export interface NewView {
  /**
   * @pattern \S
   * @maxLength 100
   */
  name: string;
  /**
   * @pattern \S
   * @maxLength 4000
   */
  url: string;
  isShared?: boolean;
}

export interface AuditQuery {
  /**
   * Range of time; all until now by default.
   * @format date-time
   */
  from?: string;
  /** @format date-time */
  to?: string;
  /**
   * `at` and `id` of the last entry of a list give the next, older ones.
   * @format date-time
   */
  before?: string;
  /** @maxLength 40 */
  beforeId?: string;
  /** Changes, or looks at unmasked payloads; both by default. */
  kind?: 'changes' | 'reads';
  /**
   * 200 by default, at most 500; of an export 10,000.
   * @integer
   * @minimum 1
   * @maximum 10000
   */
  limit?: number;
  /** @maxLength 200 */
  actor?: string;
  /** @maxLength 200 */
  operation?: string;
  /** @maxLength 200 */
  object?: string;
}

/** An action of someone, in the console or at a terminal. */
export interface AuditEntry {
  id: string;
  at: string;
  actor: string;
  role: string;
  face: 'console' | 'operator';
  /** Address of the browser, or name of the machine. */
  origin: string;
  /** Such as `sources.create`. */
  operation: string;
  object: string;
  /** JSON without secrets. */
  details: string;
  /** `intended` when no outcome is known. */
  outcome: 'intended' | 'done' | 'failed';
  error: string;
}
