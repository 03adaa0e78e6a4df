export { allTopics } from './all-topics.js';
export { Category } from './catalog/category.js';
export {
  CategoryDeletion,
  GeneralEntityDeletion,
  ProductDeletion,
  ProductVariantDeletion,
  SellerDeletion,
} from './catalog/deletions.js';
export { GeneralEntity } from './catalog/general-entity.js';
export { ProductVariant } from './catalog/product-variant.js';
export { Product } from './catalog/product.js';
export {
  type CategoryRow,
  type DeletionRow,
  type GeneralEntityRow,
  type ProductRow,
  type ProductVariantRow,
  type SellerRow,
  type StateRow,
} from './catalog/rows.js';
export { Seller } from './catalog/seller.js';
export {
  catalogTopics,
  categoryTopic,
  generalEntityTopic,
  productTopic,
  productVariantTopic,
  sellerTopic,
} from './catalog/topics.js';
export { type MemberNames } from './fields/constraints.js';
export { endOfTimes, isDateTime, parseDateTime } from './fields/date-time.js';
export { decimalDigits, plainDecimal } from './fields/decimal.js';
export { readFieldTypes, type JsonType } from './fields/field-types.js';
export { fieldFormats } from './fields/formats.js';
export { decimalMustBe } from './fields/numbers.js';
export { sourceIdentifierPattern } from './fields/source-identifier.js';
export { FinalError } from './final-error.js';
export { isObject } from './json/is-object.js';
export { isOneObject, mayBeOneObject } from './json/one-object.js';
export { parseText } from './json/parse-text.js';
export { blankContract, header } from './headers.js';
export { withTopicPrefix, topicPrefix } from './installation.js';
export { hashKey, partitionForKey, partitionForHash, PrefixedKeyHash } from './key-partition.js';
export { type DeviceRow, type Interaction, type InteractionRow } from './push/rows.js';
export { deviceTopic, interactionTopic } from './push/topics.js';
export { type AdRequestRow, adRequestTopic } from './rtb/ad-request.js';
export { auditTopic, refusedTopic, systemTopics } from './system/topics.js';
export { deadLetterTopic, storedContracts, type Topic, writtenContracts } from './topic.js';
export { BatchEnvelope } from './tracking/batch.js';
export {
  type FieldRule,
  fieldRules,
  type FieldRuleSet,
  isFieldPath,
  isFieldRule,
  isPurpose,
  maxFieldRules,
} from './tracking/field-rules.js';
export { IdentifyMessage } from './tracking/identify-message.js';
export { personIdCondition, isPlaceholderId } from './tracking/placeholder-ids.js';
export { type RefusalReason, refusedMessageTopic, type RefusedMessageRow } from './tracking/refused-message.js';
export { type EventRow, type IdentifyRow, type RowOrigin } from './tracking/rows.js';
export { SegmentEvent, SegmentIdentify } from './tracking/segment-messages.js';
export { canaryEvent, canarySource, canaryTopic } from './tracking/canary.js';
export { identifyTopic, trackTopic } from './tracking/topics.js';
export { TrackMessage } from './tracking/track-message.js';
export { type FreeForm, type TrackingMessage } from './tracking/tracking-message.js';
