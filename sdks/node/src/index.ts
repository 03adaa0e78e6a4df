export {
  type EventMap,
  type FlushResult,
  type Message,
  type Plugin,
  type Properties,
  type SluiceError,
  type SluiceErrorCode,
} from '@sluice/sdk-core';
export { createCatalog } from './catalog/create-catalog.js';
export {
  type CatalogClient,
  type CatalogOptions,
  type CatalogResult,
  type EntityType,
  type RefusedEntity,
} from './catalog/options.js';
export { createClient } from './create-client.js';
export {
  type CallOptions,
  type CloseOptions,
  type FlushOptions,
  type NodeClient,
  type NodeOptions,
  type Person,
  type Scope,
} from './options.js';
