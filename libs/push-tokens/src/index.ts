export { type PushTokenConfig, pushTokenVariables } from './config.js';
export { type KeyRing, parseKeyRing } from './key-ring.js';
export { type PushToken } from './push-token.js';
export { PushTokens } from './push-tokens.js';
