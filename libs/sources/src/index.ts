export { SourceReader } from './reader.js';
export { SourceRegistry } from './registry.js';
export { type ImportPlan, planImport } from './import-plan.js';
export { checkRecord, recordName, keyRecord, sourceRecord, type RegistryRecord, sourcesTopic } from './records.js';
export { acceptsOrigin, maxOrigins, parseOrigin } from './origin.js';
export {
  hasPublicKey,
  type Source,
  type SourceKey,
  type SourceLimits,
  type SourceType,
  sourceTypes,
} from './source.js';
export { ensureUsageTopic, parseUsage, usageRecord, type SourceUsage, usageKey, usageTopic } from './usage.js';
export {
  ensureSourcesTopic,
  type IssuedKey,
  type LimitChanges,
  type PrivacyChanges,
  SourceError,
  SourceWriter,
} from './writer.js';
export { createApiKey, hashApiKey, isSameKey } from './api-key.js';
