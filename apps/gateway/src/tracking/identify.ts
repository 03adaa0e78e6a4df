import { IdentifyMessage, type IdentifyRow, identifyTopic } from '@sluice/contracts';
import { type Kind } from '../intake/intake.js';
import { personKey, trackingRow } from './tracking-row.js';

/** An identify message becomes a row of `identifies`. */
export const identify: Kind<IdentifyMessage> = {
  type: IdentifyMessage,
  topic: identifyTopic,
  toRow(message, messageId, request) {
    const { traits } = message;
    const row: IdentifyRow = { ...trackingRow(message, messageId, request), ...(traits && { traits }) };
    return { key: personKey(message, request), row };
  },
};
