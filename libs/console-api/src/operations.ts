import {
  type Dismissal,
  type DryRun,
  type LetterDetail,
  type LetterList,
  type LetterQuery,
  type LetterSelection,
  type LetterView,
  type EditCheck,
  type EditedLetter,
  type ReplayResult,
} from './dead-letters.js';
import { type EventDetail, type EventList, type EventsQuery, type SearchQuery, type SearchResult } from './events.js';
import { type LiveQuery } from './live.js';
import { type Ledger, type LedgerProgress, type LedgerQuery, type LedgerTopics } from './pipeline.js';
import { type RefusedDetail, type RefusedList, type RefusedQuery } from './refused.js';
import { type Journey, type JourneyQuery } from './requests.js';
import {
  type IssuerQuery,
  type LinkSignIn,
  type NewPassword,
  type PasswordSignIn,
  type Role,
  type SessionState,
} from './session.js';
import {
  type AuditEntry,
  type AuditQuery,
  type InvitedUser,
  type Masks,
  type NewMasks,
  type NewUser,
  type NewView,
  type SavedView,
  type User,
  type UserChanges,
} from './settings.js';
import {
  type Arrivals,
  type CreatedSource,
  type IssuedKey,
  type LimitChanges,
  type NewSource,
  type SourceDetail,
  type SourceSummary,
  type SourceView,
} from './sources.js';
import { type Overview, type RangeQuery, type Servers, type ServersQuery, type StatusReport } from './status.js';
import { type TryAnswer, type TryRequest } from './try.js';

/** Least role of each operation; `public` needs no session. An operation that is not listed does not exist. */
export const operations = {
  'GET /api/session': 'public',
  'POST /api/session': 'public',
  'POST /api/session/link': 'public',
  'GET /api/session/oidc': 'public',
  'GET /api/session/oidc/callback': 'public',
  'DELETE /api/session': 'viewer',
  'PUT /api/session/password': 'viewer',
  'GET /api/servers': 'viewer',
  'GET /api/status': 'viewer',
  'GET /api/overview': 'viewer',
  'GET /api/live': 'viewer',
  'GET /api/events': 'viewer',
  'GET /api/events/:id': 'viewer',
  'GET /api/search': 'viewer',
  'GET /api/requests/:id': 'viewer',
  'GET /api/refused': 'viewer',
  'GET /api/refused/:id': 'viewer',
  'POST /api/try': 'viewer',
  'GET /api/sources': 'viewer',
  'POST /api/sources': 'editor',
  'GET /api/sources/:id': 'viewer',
  'GET /api/sources/:id/arrivals': 'viewer',
  'POST /api/sources/:id/keys': 'editor',
  'POST /api/sources/:id/keys/:keyId/revoke': 'editor',
  'PUT /api/sources/:id/status': 'editor',
  'PUT /api/sources/:id/limits': 'editor',
  'PUT /api/sources/:id/origins': 'editor',
  'PUT /api/sources/:id/user-agent': 'editor',
  'GET /api/pipeline/ledger': 'viewer',
  'GET /api/pipeline/ledger/progress': 'viewer',
  'GET /api/pipeline/ledgers': 'viewer',
  'GET /api/dead-letters': 'viewer',
  'GET /api/dead-letters/:id': 'viewer',
  'POST /api/dead-letters/dismiss': 'editor',
  'POST /api/dead-letters/dry-run': 'editor',
  'POST /api/dead-letters/replay': 'editor',
  'POST /api/dead-letters/:id/check': 'editor',
  'POST /api/dead-letters/:id/edit': 'editor',
  'GET /api/users': 'admin',
  'POST /api/users': 'admin',
  'PATCH /api/users/:id': 'admin',
  'POST /api/users/:id/link': 'admin',
  'POST /api/users/:id/sign-out': 'admin',
  'GET /api/masks': 'viewer',
  'PUT /api/masks': 'admin',
  'GET /api/views': 'viewer',
  'PUT /api/views/:id': 'viewer',
  'DELETE /api/views/:id': 'viewer',
  'GET /api/audit': 'admin',
  'GET /api/audit/export': 'admin',
  'GET /api/openapi.json': 'viewer',
} as const satisfies Record<string, Role | 'public'>;

export type Operation = keyof typeof operations;

/** Query, body and answer of each operation. Parts of the path, such as `:id`, are text. */
export interface Api {
  'GET /api/session': { answer: SessionState };
  'POST /api/session': { body: PasswordSignIn; answer: SessionState };
  'POST /api/session/link': { body: LinkSignIn; answer: SessionState };
  /** Redirects. */
  'GET /api/session/oidc': { query: IssuerQuery; answer: never };
  'GET /api/session/oidc/callback': { answer: never };
  'DELETE /api/session': { answer: SessionState };
  'PUT /api/session/password': { body: NewPassword; answer: SessionState };
  'GET /api/servers': { query: ServersQuery; answer: Servers };
  'GET /api/status': { answer: StatusReport };
  'GET /api/overview': { query: RangeQuery; answer: Overview };
  /** A stream: see `LiveEvents`. */
  'GET /api/live': { query: LiveQuery; answer: never };
  'GET /api/events': { query: EventsQuery; answer: EventList };
  'GET /api/events/:id': { answer: EventDetail };
  'GET /api/search': { query: SearchQuery; answer: SearchResult };
  'GET /api/requests/:id': { query: JourneyQuery; answer: Journey };
  'GET /api/refused': { query: RefusedQuery; answer: RefusedList };
  'GET /api/refused/:id': { answer: RefusedDetail };
  'POST /api/try': { body: TryRequest; answer: TryAnswer };
  'GET /api/sources': { answer: SourceSummary[] };
  'POST /api/sources': { body: NewSource; answer: CreatedSource };
  'GET /api/sources/:id': { query: RangeQuery; answer: SourceDetail };
  'GET /api/sources/:id/arrivals': { query: { since: string }; answer: Arrivals };
  'POST /api/sources/:id/keys': { body: Record<string, never>; answer: IssuedKey };
  'POST /api/sources/:id/keys/:keyId/revoke': { body: Record<string, never>; answer: SourceView };
  'PUT /api/sources/:id/status': { body: { status: SourceView['status'] }; answer: SourceView };
  'PUT /api/sources/:id/limits': { body: LimitChanges; answer: SourceView };
  /** Null for any origin. */
  'PUT /api/sources/:id/origins': { body: { origins: string[] | null }; answer: SourceView };
  'PUT /api/sources/:id/user-agent': { body: { userAgent: 'keep' | 'drop' }; answer: SourceView };
  'GET /api/pipeline/ledger': { query: LedgerQuery; answer: Ledger };
  'GET /api/pipeline/ledger/progress': { query: LedgerQuery; answer: LedgerProgress };
  'GET /api/pipeline/ledgers': { answer: LedgerTopics };
  'GET /api/dead-letters': { query: LetterQuery; answer: LetterList };
  'GET /api/dead-letters/:id': { answer: LetterDetail };
  'POST /api/dead-letters/dismiss': { body: Dismissal; answer: LetterView[] };
  'POST /api/dead-letters/dry-run': { body: LetterSelection; answer: DryRun };
  'POST /api/dead-letters/replay': { body: LetterSelection; answer: ReplayResult };
  /** Both need the permission to read payloads unmasked. */
  'POST /api/dead-letters/:id/check': { body: EditedLetter; answer: EditCheck };
  'POST /api/dead-letters/:id/edit': { body: EditedLetter; answer: ReplayResult };
  'GET /api/users': { answer: User[] };
  'POST /api/users': { body: NewUser; answer: InvitedUser };
  'PATCH /api/users/:id': { body: UserChanges; answer: User };
  /** A new one-time link for a local user. */
  'POST /api/users/:id/link': { body: Record<string, never>; answer: InvitedUser };
  /** Ends all sessions of the user within a second. */
  'POST /api/users/:id/sign-out': { body: Record<string, never>; answer: User };
  'GET /api/masks': { answer: Masks };
  'PUT /api/masks': { body: NewMasks; answer: Masks };
  'GET /api/views': { answer: SavedView[] };
  'PUT /api/views/:id': { body: NewView; answer: SavedView };
  'DELETE /api/views/:id': { answer: SavedView[] };
  /** A file of comma-separated values. */
  'GET /api/audit/export': { query: AuditQuery; answer: string };
  'GET /api/audit': { query: AuditQuery; answer: AuditEntry[] };
  /** This document. */
  'GET /api/openapi.json': { answer: Record<string, unknown> };
}

/**
 * Answer of every operation that fails: 400 invalid, 401 no session, 403 not allowed, 404, 409 not possible now,
 * 429 too many tries, 503 a server is unreachable.
 */
export interface ApiProblem {
  /** Such as `not-signed-in`, `not-allowed`, `invalid`, `not-found`, `conflict`, `unreachable`. */
  code: string;
  /** A sentence for people. */
  message: string;
  /** The server that is unreachable, with code `unreachable`. */
  server?: 'kafka' | 'clickhouse' | 'gateway';
}
