export { accepting } from './accepting.js';
export { consentField, grants, withoutConsent } from './field-rules/consent.js';
export { type FieldHash, FieldRules, removedByRule } from './field-rules/field-rules.js';
export { MessageRules } from './field-rules/message-rules.js';
export { bounds, restrictedName, shape } from './free-form.js';
export { MessageReader } from './message-reader.js';
export { nameUuid } from './name-uuid.js';
export { type Problem } from './problem.js';
export { bounded, countsByMessage, join, Report } from './report.js';
export { type FieldSchema, type MessageSchema, type MessageType, schemaOf } from './schema.js';
export { eventRow, identifyRow, personKey, type PlanVerdict, type RowFacts, timestampOf } from './tracking-rows.js';
export {
  segmentItem,
  type SegmentDefaults,
  type SegmentItem,
  segmentMessageId,
  type SegmentType,
  segmentTypes,
} from './segment/segment-item.js';
