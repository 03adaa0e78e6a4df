export type * from '@sluice/console-api';
export { type Funnel, funnelQuery } from './analysts/funnel-query.js';
export { Audit, type Action } from './audit/audit.js';
export { ConsoleReader, ConsoleState } from './console/console-state.js';
export { ConsoleWriter, ensureConsoleTopic } from './console/console-writer.js';
export { exclusively } from './console/exclusive.js';
export { createLink, createUser, linkMinutes, takeLink, type UserToCreate } from './console/links.js';
export { consoleTopic, type LetterRecord, type UserRecord, type ViewRecord } from './console/records.js';
export {
  type People,
  type ShownId,
  shownIds,
  type SuppressionChange,
  suppressPeople,
  unsuppressPeople,
} from './privacy/suppress-people.js';
export { withSuppressions } from './privacy/present-suppressions.js';
export { type LetterConditions, replayLetters, selectLetters } from './dead-letters/letters.js';
export { acceptedDestinations, type Destination, destinationOf, destinations } from './destinations.js';
export { duration } from './duration.js';
export { findRequest, findStored, readAllConfirmed, type Search } from './events/find-request.js';
export { parseRequestId, receivedWithin, type RequestId } from './events/request-id.js';
export { firstLine, OperationError, reasonOf, ServerUnreachableError } from './operation-error.js';
export { checkClickHouse, withClickHouse } from './servers/with-clickhouse.js';
export { withKafka } from './servers/with-kafka.js';
export { withSources } from './sources/with-sources.js';
export { changeMap, type MapChange, planMap, untilAtRest } from './shards/change-map.js';
export {
  changedRules,
  keyOfHashes,
  parseFieldRule,
  parseLimit,
  parseName,
  parseOrigins,
  parsePurpose,
  parseSwitch,
  parseType,
  parseUserAgent,
} from './sources/source-options.js';
export { viewSource } from './sources/source-view.js';
export { type Treated } from './status/dead-letter-status.js';
export { findMigrations } from './status/migration-files.js';
export { processAddresses, scrapeProcesses } from './status/processes.js';
export { processName, type Sample, readSamples, scrape, type Scraped, sumOf } from './status/scrape.js';
export { readStatus, type StatusQuestion } from './status/status.js';
export { type ComparedEvent, comparePlan, type PlanComparison, violatingShare } from './plans/compare-plan.js';
export { minDraftMessages } from './plans/draft-plan.js';
export { inferPlan } from './plans/infer-plan.js';
export { selectFrom, type SelectRows } from './plans/select-rows.js';
export { type Observation, observationDays } from './plans/observation.js';
export {
  type ActivationChange,
  type ActivationPreview,
  assertObserved,
  findPlan,
  previewActivation,
} from './plans/preview.js';
export { erasureVariables } from './privacy/config.js';
export { type Erasure, type ErasureReport, erasuresTopic, erasureStates, reportOf } from './privacy/erasure.js';
export { ensureErasuresTopic, ErasureStore } from './privacy/erasure-store.js';
export { type ErasureWorld, type PeoplePlaces } from './privacy/eraser.js';
export { exportPerson, type ExportManifest, type ExportTarget, folderTarget } from './privacy/export-person.js';
export { type PersonId } from './privacy/people.js';
export { type ErasurePreview, previewErasure } from './privacy/preview-erasure.js';
export {
  type ErasureRequest,
  type Reapplied,
  reapplyErasures,
  requestErasure,
  shownIdOf,
} from './privacy/request-erasure.js';
export { isOpen, runErasures, type RunOptions } from './privacy/run-erasures.js';
export { type ErasureConfig, withErasures, withPeople } from './privacy/with-erasures.js';
