export {
  type CallOptions,
  type Consent,
  type EventMap,
  type FlushResult,
  type Message,
  type Plugin,
  type Properties,
  type SluiceError,
  type SluiceErrorCode,
} from '@sluice/sdk-core';
export { createClient } from './create-client.js';
export { type Host, type PageParts, type WebClient, type WebOptions, type WebPlugin } from './options.js';
