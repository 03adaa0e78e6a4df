export { type Activation, maxLiveVersions, milderMode } from './registry/activation.js';
export { type DroppedProperty } from './judge/explain.js';
export { type JudgedPlan, buildJudgedPlan } from './judge/judged-plan.js';
export { type ReducedProperties, type JudgedShape, type SentProperties } from './judge/judged-shape.js';
export { type PlanJsonSchema, buildPlanSchema, buildShapeSchema } from './plan/json-schema.js';
export { LivePlans, type MessageVerdict } from './registry/live-plans.js';
export { isPlanMode, isPlanVersion, parsePlan } from './plan/parse-plan.js';
export {
  type EventPlan,
  isClosed,
  type ObjectShape,
  type Plan,
  planBounds,
  type PlanMode,
  planModes,
  type Property,
  type Scalar,
  allowedTypes,
  type ValueType,
} from './plan/plan.js';
export { PlanError, type PlanProblem } from './plan/plan-error.js';
export { PlanReader, type PlanReaderOptions } from './registry/reader.js';
export { parsePlanRecord, plansTopic, activationRecord, planRecord } from './registry/records.js';
export { PlanRegistry } from './registry/registry.js';
export { maxViolations, moreViolations, unknownEvent, type ViolationRule } from './judge/violations.js';
export {
  ensurePlansTopic,
  nextVersion,
  PlanChangeError,
  type PlanImport,
  preparePlanImport,
  PlanWriter,
} from './registry/writer.js';
export {
  type ChangedEvent,
  describeShape,
  listPlanChanges,
  type PlanChanges,
  type WordedChange,
} from './plan/plan-changes.js';
export { diffPlans, type PlanDifference } from './plan/diff-plans.js';
export { convertPlan, type ForeignForm, foreignForms } from './foreign/foreign-plan.js';
export { listProperties, type PlannedProperty, type WriteValue } from './plan/planned-properties.js';
export { formatPlanTypes } from './plan/typescript-types.js';
