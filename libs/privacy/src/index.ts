export { type PrivacyConfig, privacyVariables } from './config.js';
export { followSuppressions, topicsKeyedByPerson } from './follow-suppressions.js';
export { reportFollowsSuppressions } from './follows-suppressions.js';
export { idPatterns } from './ids-in.js';
export { groupEvent, type MessageIds, readIds } from './message-ids.js';
export { type IdKind, PrivacyKey } from './privacy-key.js';
export { PrivacyMetrics } from './privacy-metrics.js';
export { SuppressionReader } from './reader.js';
export { SuppressionRegistry } from './registry.js';
export { SourceSuppressions } from './source-suppressions.js';
export { SuppressionFilter } from './suppression-filter.js';
export {
  suppressionKey,
  parseSuppressionKey,
  type SuppressedId,
  type Suppression,
  type SuppressionMode,
  suppressionsTopic,
} from './suppression.js';
export {
  ensureSuppressionsTopic,
  type Subject,
  toSuppressedId,
  type SuppressionCause,
  SuppressionWriter,
  type WrittenSuppressions,
} from './writer.js';
