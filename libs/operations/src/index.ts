export type * from '@sluice/console-api';
export { changeKinds, describeCanary, describeChange, describeStuck } from '@sluice/console-api';
export { type CatalogIssues, type EntityIssue, readCatalogIssues } from './analysts/catalog-issues.js';
export { type Funnel, funnelQuery } from './analysts/funnel-query.js';
export { Audit, type Action } from './audit/audit.js';
export { ConsoleReader, ConsoleState } from './console/console-state.js';
export { ConsoleWriter, ensureConsoleTopic } from './console/console-writer.js';
export { runExclusively } from './console/exclusive.js';
export { createLink, createUser, linkMinutes, takeLink, type UserToCreate } from './console/links.js';
export { consoleTopic, type LetterRecord, type UserRecord, type ViewRecord } from './console/records.js';
export {
  type NamedPeople,
  type ShownId,
  makeShownIds,
  type SuppressionChange,
  suppressPeople,
  unsuppressPeople,
} from './privacy/suppress-people.js';
export { TableServers } from './privacy/servers.js';
export { withSuppressions } from './privacy/present-suppressions.js';
export { dismissLetters, type LettersInQuestion, type LettersToDismiss } from './dead-letters/dismiss-letters.js';
export {
  findDismissal,
  findMark,
  isTreated,
  markDismissed,
  markDismissedUntil,
  readDismissedUntil,
} from './dead-letters/letter-marks.js';
export { type LettersToRead, replayLetters, selectLetters } from './dead-letters/letters.js';
export { isSelected, type LetterConditions, sourceOfLetter } from './dead-letters/select-letters.js';
export { acceptedDestinations, type Destination, findDestination, destinations } from './destinations.js';
export { formatDuration } from './format-duration.js';
export { findRequest, findStored, readAllConfirmed, type Search } from './events/find-request.js';
export { parseRequestId, receivedRange, receivedWithin, type RequestId } from './events/request-id.js';
export { OperationError, describeFailure, ServerUnreachableError } from './operation-error.js';
export { checkClickHouse, withClickHouse } from './servers/with-clickhouse.js';
export { withKafka } from './servers/with-kafka.js';
export { withSources } from './sources/with-sources.js';
export {
  countKept,
  type KeptConditions,
  type KeptCount,
  type KeptMessage,
  readKeptMessages,
} from './refused/kept-messages.js';
export {
  type GroupPage,
  groupsQuery,
  type RefusalConditions,
  type RefusalPart,
  refusalParameters,
  type SamplePlace,
} from './refused/refusal-query.js';
export { type RefusalCount, type RefusedSample } from './refused/refusal-rows.js';
export {
  countRefusals,
  findRefusedSample,
  findWholeSample,
  type SampledGroup,
  readRefusalGroups,
  readRefusedSamples,
} from './refused/refusals.js';
export { changeMap, type MapChange, planMap, requireConsumersStopped } from './shards/change-map.js';
export {
  mergeRules,
  requireHashKey,
  parseFieldRule,
  parseLimit,
  parseName,
  parseOrigins,
  parsePurpose,
  parseSwitch,
  parseType,
  parseUserAgentRule,
} from './sources/source-options.js';
export { viewSource } from './sources/source-view.js';
export { judgeLetters } from './status/dead-letter-status.js';
export { findMigrations } from './status/migration-files.js';
export { resolveProcessAddresses, scrapeProcesses } from './status/processes.js';
export { nameProcess, type MetricSample, readSamples, scrape, type ScrapeAnswer, sumSamples } from './status/scrape.js';
export { readStatus, type StatusQuestion } from './status/status.js';
export { type ComparedEvent, comparePlan, type StoredVerdicts, violatingShare } from './plans/compare-plan.js';
export { minDraftMessages } from './plans/draft-plan.js';
export { compareWithStored, type ImportedPlan, type PlanFile, requirePlan, openPlan } from './plans/import-plan.js';
export { inferPlan } from './plans/infer-plan.js';
export { makeSelectRows, type SelectRows } from './plans/select-rows.js';
export { type Observation, observationDays } from './plans/observation.js';
export {
  type ActivationChange,
  type ActivationPreview,
  assertObserved,
  findPlan,
  previewActivation,
} from './plans/preview.js';
export { erasureVariables } from './privacy/config.js';
export { type Erasure, type ErasureReport, erasuresTopic, erasureStates, toErasureReport } from './privacy/erasure.js';
export { ensureErasuresTopic, ErasureStore } from './privacy/erasure-store.js';
export { type ErasureResources, type PeopleStores } from './privacy/eraser.js';
export { exportPerson, type ExportManifest, type ExportTarget, openFolderTarget } from './privacy/export-person.js';
export { forgetLinks, type LinkChanges, previewForgetting } from './privacy/forget-links.js';
export { type PersonId } from './privacy/people.js';
export { type ErasurePreview, previewErasure } from './privacy/preview-erasure.js';
export {
  type ErasureRequest,
  type ReapplyOutcome,
  reapplyErasures,
  requestErasure,
  maskId,
} from './privacy/request-erasure.js';
export { isOpen, runErasures, type ErasureRunOptions } from './privacy/run-erasures.js';
export { type ErasureConfig, runWithErasures, runWithPeopleServers } from './privacy/run-with-erasures.js';
export { CanaryJudge } from './canary/canary-judge.js';
export { CanaryMetrics } from './canary/canary-metrics.js';
export { type CanaryNumbers, readCanary, readCanaryNumbers } from './canary/canary-reader.js';
export { EventWatch } from './watch/event-watch.js';
export { WatchMetrics } from './watch/watch-metrics.js';
export { listMutes, muteEvent, readChangeHours, readWatch } from './watch/watch-reader.js';
export { type DoctorQuestion, type RightsApp, rightsApps } from './doctor/examination.js';
export { type CheckResult, type DoctorReport, type DoctorVerdict } from './doctor/finding.js';
export { runDoctor } from './doctor/run-doctor.js';
