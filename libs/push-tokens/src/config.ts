import { type Config, makeValidator, str } from '@sluice/service';
import { type KeyRing, parseKeyRing } from './key-ring.js';

const keyRing = makeValidator<KeyRing>(parseKeyRing);

export const pushTokenVariables = {
  PUSH_TOKEN_KEYS: keyRing({
    default: parseKeyRing(''),
    desc: 'Keys of the tracking tokens of push notifications, each 32 bytes as base64url; all of them open. Without any, no token opens',
    example: '2026-02:<base64url>,2026-01:<base64url>',
  }),
  PUSH_TOKEN_ACTIVE_KEY: str({ default: '', desc: 'kid of the key that seals; the first one if left out' }),
};
export type PushTokenConfig = Config<typeof pushTokenVariables>;
