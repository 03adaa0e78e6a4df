export { meaningOf } from './answer.js';
export { attempt } from './attempt.js';
export {
  type Batch,
  bodyOf,
  byAge,
  derivedKey,
  type Kind,
  newBatch,
  sealedBatch,
  sealWith,
  utf8Bytes,
} from './batch.js';
export {
  type CallOptions,
  type Client,
  type EventMap,
  type FlushResult,
  type Plugin,
  type PluginParts,
} from './client.js';
export { type Consent } from './consent.js';
export { type CoreClient, createCore } from './core.js';
export { valueNames } from './identity.js';
export { type Message, type Properties, type SdkStamp } from './message.js';
export { type ClientOptions, settingsOf } from './options.js';
export {
  type Clock,
  type Exchange,
  type HttpAnswer,
  type HttpRequest,
  type KeyValueStore,
  type Lifecycle,
  type LifecycleEvent,
  type MaybePromise,
  type Ports,
  type QueueStore,
  type Random,
  type Transport,
} from './ports.js';
export { answerTo, batchRequest } from './request.js';
export { type SluiceError, type SluiceErrorCode } from './sluice-error.js';
export {
  callBack,
  type Interacted,
  type Interaction,
  type PushNotification,
  readPush,
  registersPush,
  reportInteraction,
  reportOf,
  serviceSourceTag,
  targetOf,
} from './push.js';
