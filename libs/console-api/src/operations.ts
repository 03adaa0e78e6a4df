import {
  type CatalogContent,
  type CatalogImports,
  type CatalogImportsQuery,
  type CatalogIssuesQuery,
  type CatalogQuery,
  type EntityStates,
  type EntityStatesQuery,
  type ShownCatalogIssues,
  type VariantHistory,
  type VariantHistoryQuery,
} from './catalog.js';
import {
  type Dismissal,
  type Dismissed,
  type DryRun,
  type LetterDetail,
  type LetterList,
  type LetterPageQuery,
  type LetterSelection,
  type EditCheck,
  type EditedLetter,
  type ReplayResult,
} from './dead-letters.js';
import { type EventDetail, type EventList, type EventsQuery, type SearchQuery, type SearchResult } from './events.js';
import { type LiveQuery } from './live.js';
import { type Ledger, type LedgerProgress, type LedgerQuery, type LedgerTopics } from './pipeline.js';
import {
  type NewActivation,
  type NewPlan,
  type PlanComparison,
  type PlanComparisonQuery,
  type PlanCoverage,
  type PlanFactsQuery,
  type PlanImport,
  type PlanListQuery,
  type PlannedProperties,
  type PlannedPropertiesQuery,
  type PlanPreview,
  type PlanPreviewQuery,
  type PlanView,
  type PlanViewQuery,
  type PlanViolations,
  type SourcePlans,
} from './plans.js';
import {
  type ErasureList,
  type ErasureView,
  type NewErasure,
  type Person,
  type PersonPreview,
  type ReappliedErasures,
  type Restored,
  type SuppressionResult,
} from './privacy.js';
import { type RefusedDetail, type RefusedList, type RefusedQuery } from './refused.js';
import { type Journey, type JourneyQuery } from './requests.js';
import {
  type IssuerQuery,
  type LinkSignIn,
  type NewPassword,
  type PasswordSignIn,
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
  type UserList,
  type UserListQuery,
} from './settings.js';
import {
  type Arrivals,
  type ArrivalsQuery,
  type CreatedSource,
  type IssuedKey,
  type LimitChanges,
  type NewOrigins,
  type NewPrivacy,
  type NewSegment,
  type NewSource,
  type NewStatus,
  type NewUserAgent,
  type SourceDetail,
  type SourceList,
  type SourceListQuery,
  type SourceSettings,
  type SourceView,
} from './sources.js';
import { type Overview, type RangeQuery, type StatusReport } from './status.js';
import { type TryAnswer, type TryRequest } from './try.js';
import { type CanaryState } from './canary.js';
import { type ChangeDetail, type NewMute, type ShownChanges, type WatchMute, type WatchQuery } from './watch.js';

/**
 * The operations of the console: the lowest role for each (`public` needs no session, `privacy` the right to answer
 * people who ask for their data), its query, body and answer. Parts of the path, such as `:id`, are text. An operation
 * that is not here does not exist. `npm run docs:variables` makes the OpenAPI document of it, with the bounds that the
 * tags of members name; the gate takes roles and checks from that document.
 */
export interface Api {
  'GET /api/session': { role: 'public'; answer: SessionState };
  'POST /api/session': { role: 'public'; body: PasswordSignIn; answer: SessionState };
  'POST /api/session/link': { role: 'public'; body: LinkSignIn; answer: SessionState };
  /** Redirects. */
  'GET /api/session/oidc': { role: 'public'; query: IssuerQuery; answer: never };
  'GET /api/session/oidc/callback': { role: 'public'; answer: never };
  'DELETE /api/session': { role: 'viewer'; answer: SessionState };
  'PUT /api/session/password': { role: 'viewer'; body: NewPassword; answer: SessionState };
  /** A stream for each tab: see `NowEvents`. */
  'GET /api/now': { role: 'viewer'; answer: never };
  'GET /api/status': { role: 'viewer'; answer: StatusReport };
  'GET /api/overview': { role: 'viewer'; query: RangeQuery; answer: Overview };
  'GET /api/watch': { role: 'viewer'; query: WatchQuery; answer: ShownChanges };
  'GET /api/watch/:id': { role: 'viewer'; answer: ChangeDetail };
  'PUT /api/watch/:id/mute': { role: 'editor'; body: NewMute; answer: WatchMute };
  'DELETE /api/watch/:id/mute': { role: 'editor'; answer: WatchMute };
  'GET /api/canary': { role: 'viewer'; answer: CanaryState };
  'GET /api/catalog': { role: 'viewer'; query: CatalogQuery; answer: CatalogContent };
  'GET /api/catalog/issues': { role: 'viewer'; query: CatalogIssuesQuery; answer: ShownCatalogIssues };
  'GET /api/catalog/imports': { role: 'viewer'; query: CatalogImportsQuery; answer: CatalogImports };
  'GET /api/catalog/states': { role: 'viewer'; query: EntityStatesQuery; answer: EntityStates };
  'GET /api/catalog/history': { role: 'viewer'; query: VariantHistoryQuery; answer: VariantHistory };
  /** A stream: see `LiveEvents`. */
  'GET /api/live': { role: 'viewer'; query: LiveQuery; answer: never };
  'GET /api/events': { role: 'viewer'; query: EventsQuery; answer: EventList };
  'GET /api/events/:id': { role: 'viewer'; answer: EventDetail };
  'GET /api/search': { role: 'viewer'; query: SearchQuery; answer: SearchResult };
  'GET /api/requests/:id': { role: 'viewer'; query: JourneyQuery; answer: Journey };
  'GET /api/refused': { role: 'viewer'; query: RefusedQuery; answer: RefusedList };
  'GET /api/refused/:id': { role: 'viewer'; answer: RefusedDetail };
  'POST /api/try': { role: 'viewer'; body: TryRequest; answer: TryAnswer };
  'GET /api/sources': { role: 'viewer'; query: SourceListQuery; answer: SourceList };
  'POST /api/sources': { role: 'editor'; body: NewSource; answer: CreatedSource };
  'GET /api/sources/:id': { role: 'viewer'; query: RangeQuery; answer: SourceDetail };
  'GET /api/sources/:id/arrivals': { role: 'viewer'; query: ArrivalsQuery; answer: Arrivals };
  'POST /api/sources/:id/keys': { role: 'editor'; answer: IssuedKey };
  'POST /api/sources/:id/keys/:keyId/revoke': { role: 'editor'; answer: SourceView };
  'PUT /api/sources/:id/status': { role: 'editor'; body: NewStatus; answer: SourceView };
  'PUT /api/sources/:id/limits': { role: 'editor'; body: LimitChanges; answer: SourceView };
  'PUT /api/sources/:id/origins': { role: 'editor'; body: NewOrigins; answer: SourceView };
  'PUT /api/sources/:id/user-agent': { role: 'editor'; body: NewUserAgent; answer: SourceView };
  'PUT /api/sources/:id/segment': { role: 'editor'; body: NewSegment; answer: SourceView };
  'PUT /api/sources/:id/privacy': { role: 'editor'; body: NewPrivacy; answer: SourceView };
  /** Its keys, limits and setup, which need no ClickHouse. */
  'GET /api/sources/:id/settings': { role: 'viewer'; answer: SourceSettings };
  'GET /api/sources/:id/plans': { role: 'viewer'; query: PlanListQuery; answer: SourcePlans };
  /** Imports a plan, which must be for this source. It is not active yet. */
  'POST /api/sources/:id/plans': { role: 'editor'; body: NewPlan; answer: PlanImport };
  /** Checks a plan, and says what its import would do. */
  'POST /api/sources/:id/plans/check': { role: 'editor'; body: NewPlan; answer: PlanImport };
  'GET /api/sources/:id/plans/violations': { role: 'viewer'; query: PlanFactsQuery; answer: PlanViolations };
  'GET /api/sources/:id/plans/coverage': { role: 'viewer'; query: PlanFactsQuery; answer: PlanCoverage };
  'GET /api/sources/:id/plans/comparison': { role: 'viewer'; query: PlanComparisonQuery; answer: PlanComparison };
  'GET /api/sources/:id/plans/versions/:version': { role: 'viewer'; query: PlanViewQuery; answer: PlanView };
  'GET /api/sources/:id/plans/versions/:version/properties': {
    role: 'viewer';
    query: PlannedPropertiesQuery;
    answer: PlannedProperties;
  };
  /** The document, as an import reads it. */
  'GET /api/sources/:id/plans/versions/:version/file': { role: 'editor'; answer: Record<string, unknown> };
  'GET /api/sources/:id/plans/preview': { role: 'editor'; query: PlanPreviewQuery; answer: PlanPreview };
  'PUT /api/sources/:id/plans': { role: 'editor'; body: NewActivation; answer: PlanPreview };
  'GET /api/pipeline/ledger': { role: 'viewer'; query: LedgerQuery; answer: Ledger };
  'GET /api/pipeline/ledger/progress': { role: 'viewer'; query: LedgerQuery; answer: LedgerProgress };
  'GET /api/pipeline/ledgers': { role: 'viewer'; answer: LedgerTopics };
  'GET /api/dead-letters': { role: 'viewer'; query: LetterPageQuery; answer: LetterList };
  'GET /api/dead-letters/:id': { role: 'viewer'; answer: LetterDetail };
  'POST /api/dead-letters/dismiss': { role: 'editor'; body: Dismissal; answer: Dismissed };
  'POST /api/dead-letters/dry-run': { role: 'editor'; body: LetterSelection; answer: DryRun };
  'POST /api/dead-letters/replay': { role: 'editor'; body: LetterSelection; answer: ReplayResult };
  /** Needs the permission to read payloads unmasked, as `edit` does. */
  'POST /api/dead-letters/:id/check': { role: 'editor'; body: EditedLetter; answer: EditCheck };
  'POST /api/dead-letters/:id/edit': { role: 'editor'; body: EditedLetter; answer: ReplayResult };
  'GET /api/privacy/erasures': { role: 'privacy'; answer: ErasureList };
  /** Ids stand in bodies only: addresses get into logs. */
  'POST /api/privacy/preview': { role: 'privacy'; body: Person; answer: PersonPreview };
  'POST /api/privacy/erasures': { role: 'privacy'; body: NewErasure; answer: ErasureView };
  'POST /api/privacy/suppress': { role: 'privacy'; body: Person; answer: SuppressionResult };
  'POST /api/privacy/unsuppress': { role: 'privacy'; body: Person; answer: SuppressionResult };
  /** A ZIP file with a file per table and `manifest.json`. */
  'POST /api/privacy/export': { role: 'privacy'; body: Person; answer: never };
  'POST /api/privacy/reapply': { role: 'privacy'; body: Restored; answer: ReappliedErasures };
  'GET /api/users': { role: 'admin'; query: UserListQuery; answer: UserList };
  'POST /api/users': { role: 'admin'; body: NewUser; answer: InvitedUser };
  'PATCH /api/users/:id': { role: 'admin'; body: UserChanges; answer: User };
  /** A new one-time link for a local user. */
  'POST /api/users/:id/link': { role: 'admin'; answer: InvitedUser };
  /** Ends all sessions of the user within a second. */
  'POST /api/users/:id/sign-out': { role: 'admin'; answer: User };
  'GET /api/masks': { role: 'viewer'; answer: Masks };
  'PUT /api/masks': { role: 'admin'; body: NewMasks; answer: Masks };
  'GET /api/views': { role: 'viewer'; answer: SavedView[] };
  'PUT /api/views/:id': { role: 'viewer'; body: NewView; answer: SavedView };
  'DELETE /api/views/:id': { role: 'viewer'; answer: SavedView[] };
  /** A file of comma-separated values. */
  'GET /api/audit/export': { role: 'admin'; query: AuditQuery; answer: string };
  'GET /api/audit': { role: 'admin'; query: AuditQuery; answer: AuditEntry[] };
  /** This document. */
  'GET /api/openapi.json': { role: 'viewer'; answer: Record<string, unknown> };
}

export type Operation = keyof Api;
export type QueryOf<Op extends Operation> = Api[Op] extends { query: infer Query } ? Query : undefined;
export type BodyOf<Op extends Operation> = Api[Op] extends { body: infer Body } ? Body : undefined;
export type AnswerOf<Op extends Operation> = Api[Op]['answer'];

/**
 * Answer of every operation that fails: 400 invalid, 401 no session, 403 not allowed, 404, 409 not possible now,
 * 429 too many for now, 503 a server is unreachable or too slow.
 */
export interface ApiProblem {
  /** Such as `not-signed-in`, `not-allowed`, `invalid`, `not-found`, `conflict`, `unreachable`. */
  code: string;
  /** A sentence for people. */
  message: string;
  /** The server that is unreachable, with code `unreachable`. */
  server?: 'kafka' | 'clickhouse' | 'gateway';
}
