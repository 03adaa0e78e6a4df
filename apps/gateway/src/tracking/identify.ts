import { IdentifyMessage, type IdentifyRow, identifyTopic } from '@sluice/contracts';
import { type IntakeKind } from '../intake/intake.js';
import { originOf } from '../intake/source-request.js';
import { personKey, timestampOf, userAgentOf } from './tracking-row.js';

/** An identify message becomes a row of `identifies`. */
export const identify: IntakeKind<IdentifyMessage> = {
  type: IdentifyMessage,
  topic: identifyTopic,
  toRow(message, messageId, request) {
    const row: IdentifyRow = {
      ...originOf(request),
      message_id: messageId,
      user_id: message.userId ?? undefined,
      anonymous_id: message.anonymousId ?? undefined,
      timestamp: timestampOf(message, request),
      user_agent: userAgentOf(message, request),
      country: request.client.country,
      traits: message.traits ?? undefined,
      context: message.context ?? undefined,
    };
    return { key: personKey(message, request), row };
  },
};
