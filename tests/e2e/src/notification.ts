import { randomUUID } from 'node:crypto';
import { parseKeyRing, type PushToken, PushTokens } from '@sluice/push-tokens';
import { local } from './stack.js';

/** A notification whose token is sealed as by a campaign back end. `token` is the `id` in the push payload. */
export interface SealedNotification extends PushToken {
  token: string;
}

/** Makes a notification. `keys` can be a key ring that the gateway does not know. */
export async function aNotification(
  changes: Partial<PushToken> = {},
  keys = local().pushTokenKeys,
): Promise<SealedNotification> {
  const claims: PushToken = {
    notificationId: randomUUID(),
    source: local().source.sourceIdentifier,
    campaign: `campaign-${randomUUID()}`,
    variation: 'b',
    profile: 'p-1',
    channel: 'web-push',
    provider: 'fcm',
    issuedAt: Date.now() - 60_000,
    ...changes,
  };
  const tokens = new PushTokens({ PUSH_TOKEN_KEYS: parseKeyRing(keys), PUSH_TOKEN_ACTIVE_KEY: '' });
  return { ...claims, token: await tokens.seal(claims) };
}
