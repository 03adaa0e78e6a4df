export {
  type EventMap,
  type FlushResult,
  type Message,
  type Plugin,
  type Properties,
  type SluiceError,
  type SluiceErrorCode,
} from '@sluice/sdk-core';
export { createClient } from './create-client.js';
export {
  type CallOptions,
  type CloseOptions,
  type NodeClient,
  type NodeOptions,
  type Person,
  type Scope,
} from './options.js';
