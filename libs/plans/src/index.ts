export { type Activation, maxLiveVersions, milderMode } from './activation.js';
export { type DroppedProperty } from './explain.js';
export { type JudgedPlan, judgedPlan } from './judged-plan.js';
export { type Dropped, type JudgedShape, type Sent } from './judged-shape.js';
export { type JsonSchema, schemaOfPlan, schemaOfShape } from './json-schema.js';
export { LivePlans, type Verdict } from './live-plans.js';
export { isPlanMode, isPlanVersion, parsePlan } from './parse-plan.js';
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
  typesOf,
  type ValueType,
} from './plan.js';
export { PlanError, type PlanProblem } from './plan-error.js';
export { PlanReader, type PlanReaderOptions } from './reader.js';
export { parsePlanRecord, plansTopic, recordOfActivation, recordOfPlan } from './records.js';
export { PlanRegistry } from './registry.js';
export { maxViolations, moreViolations, unknownEvent, type ViolationRule } from './violations.js';
export { ensurePlansTopic, nextVersion, PlanChangeError, type PlanImport, planImportOf, PlanWriter } from './writer.js';
export { diffPlans, type PlanDifference } from './diff-plans.js';
export { convertPlan, type ForeignForm, foreignForms } from './foreign/foreign-plan.js';
export { typesOfPlan } from './typescript-types.js';
