import { type EventRow, TrackMessage, trackTopic } from '@sluice/contracts';
import { type Kind } from '../intake/intake.js';
import { personKey, trackingRow } from './tracking-row.js';

/** A track message becomes a row of `events`. */
export const track: Kind<TrackMessage> = {
  type: TrackMessage,
  topic: trackTopic,
  toRow(message, messageId, request) {
    const { event, properties } = message;
    const row: EventRow = { ...trackingRow(message, messageId, request), event, ...(properties && { properties }) };
    return { key: personKey(message, request), row };
  },
};
