export {
  type BatchVerdict,
  classifyAnswer,
  countRefusedMessages,
  joinRefusals,
  readVerdict,
  type Refusal,
} from './sending/answer.js';
export { attempt } from './ports/attempt.js';
export {
  type Batch,
  batchBody,
  compareByAge,
  deriveKey,
  type BatchKind,
  newBatch,
  sealedBatch,
  makeSealedFields,
  utf8Bytes,
} from './message/batch.js';
export {
  type CallOptions,
  type Client,
  type EventMap,
  type FlushResult,
  type Plugin,
  type PluginParts,
} from './client/client.js';
export { type Consent } from './client/consent.js';
export { type CoreClient, createCore } from './core.js';
export { valueNames } from './client/identity.js';
export { type Message, type Properties, registrationEvent, type SdkStamp } from './message/message.js';
export { type ClientOptions, readClientSettings } from './client/options.js';
export {
  type Clock,
  type Exchange,
  type HttpAnswer,
  type HttpRequest,
  type KeyValueStore,
  type Lifecycle,
  type LifecycleEvent,
  type MaybePromise,
  type Packed,
  type Ports,
  type QueueStore,
  type Random,
  type Transport,
} from './ports/ports.js';
export { sendRequest, sendInTime, batchRequest, lenient } from './sending/request.js';
export { readRetryAfter, waitAfter } from './sending/retry-policy.js';
export { type SluiceError, type SluiceErrorCode } from './client/sluice-error.js';
export {
  callBack,
  type Interacted,
  type Interaction,
  type PushNotification,
  readPush,
  registersPush,
  reportInteraction,
  buildReport,
  serviceSourceTag,
  notificationTarget,
} from './push.js';
