export { type PrivacyConfig, privacyVariables } from './config.js';
export { followSuppressions, topicsKeyedByPerson } from './follow-suppressions.js';
export { reportFollowsSuppressions } from './follows-suppressions.js';
export { type IdKind, PrivacyKey } from './privacy-key.js';
export { PrivacyMetrics } from './privacy-metrics.js';
export { SuppressionReader } from './reader.js';
export { SuppressionRegistry } from './registry.js';
export { type MessageIds, SourceSuppressions } from './source-suppressions.js';
export { SuppressionFilter } from './suppression-filter.js';
export {
  keyOfId,
  parseSuppressionKey,
  type SuppressedId,
  type Suppression,
  type SuppressionMode,
  suppressionsTopic,
} from './suppression.js';
export {
  ensureSuppressionsTopic,
  type Subject,
  suppressedIdOf,
  type SuppressionCause,
  SuppressionWriter,
  type WrittenSuppressions,
} from './writer.js';
