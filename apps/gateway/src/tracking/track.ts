import { type EventRow, TrackMessage, trackTopic } from '@sluice/contracts';
import { type IntakeKind } from '../intake/intake.js';
import { originOf } from '../intake/source-request.js';
import { personKey, timestampOf, userAgentOf } from './tracking-row.js';

/** A track message becomes a row of `events`. */
export const track: IntakeKind<TrackMessage> = {
  type: TrackMessage,
  topic: trackTopic,
  toRow(message, messageId, request) {
    const row: EventRow = {
      ...originOf(request),
      message_id: messageId,
      user_id: message.userId ?? undefined,
      anonymous_id: message.anonymousId ?? undefined,
      timestamp: timestampOf(message, request),
      user_agent: userAgentOf(message, request),
      country: request.client.country,
      event: message.event,
      properties: message.properties ?? undefined,
      context: message.context ?? undefined,
    };
    return { key: personKey(message, request), row };
  },
};
